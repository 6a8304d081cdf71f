//! Tokens that nobody would write: the expansion answers with errors and never with a panic.

use crate::{case, effect, handler};
use proc_macro2::TokenStream;

const ITEM: &str = "#[inline] pub(crate) const unsafe extern \"C\" fn charge<'a, T: Fn(A) -> B>(&'a mut self, \
    #[x] Json(Body { id, name: n, .. }): Json<Map<K, V>>, (a, b): (A, B), _: u8) -> Result<A, B> where T: X<{ N }> { body }";
const ARGUMENTS: &str = "intent_key = \"{id}/{self.x}/{n}\", provider_window = none, terminal = [confirmed = A::B], \
    reconcile = find::<A>, fence = id.token, bind = key, contract = C, irreversible, name = \"x\", \
    for<'a> move |a: A, b| -> C<D, E> { body }";

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    /// A text with some of its words lost, doubled or exchanged for others; `None` if it does not lex.
    fn changed(&mut self, text: &str) -> Option<TokenStream> {
        let mut words: Vec<&str> = text.split_inclusive([' ', ',', '(', ')', ':', '<', '>', '|', '#']).collect();
        for _ in 0..=self.below(3) {
            let (at, other) = (self.below(words.len()), self.below(words.len()));
            match self.below(3) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, words[other]),
                _ => words.swap(at, other),
            }
        }
        words.concat().parse().ok()
    }
}

#[test]
fn changed_items_and_arguments_are_expanded() {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let mut expanded = 0_usize;
    for _ in 0..3_000 {
        let (Some(arguments), Some(item)) = (numbers.changed(ARGUMENTS), numbers.changed(ITEM)) else {
            continue;
        };
        expanded += 1;
        let size = item.to_string().len();
        assert!(effect::expand(arguments.clone(), item.clone()).to_string().len() >= size, "the item is emitted");
        assert!(case::expand(arguments.clone(), item).to_string().len() >= size);
        handler::expand(arguments);
    }
    assert!(expanded > 300, "{expanded}");
}
