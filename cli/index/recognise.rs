//! What kind of item starts at a keyword.
//!
//! In: a keyword and the position behind it. Out: an [`Opening`], or nothing where the words mean something else
//! (`const { … }`, `async move`, `extern "C" fn()` as a type). A bounded look ahead; it must not know what is around.

use super::ItemKind;
use super::keyword::Word;
use super::lexer::{Kind, Lexer, Token};

/// An item up to its name.
pub(super) struct Opening<'a> {
    pub(super) kind: ItemKind,
    /// its name's token, if it has a name
    pub(super) name: Option<Token>,
    /// behind the name
    pub(super) rest: Lexer<'a>,
}

/// Longest chain of modifiers in front of an item's keyword: `default const async unsafe extern "C" fn`.
const MODIFIERS: usize = 8;

/// Longest path in front of the `!` of a macro call, in tokens.
const MACRO_PATH: usize = 32;

/// The item that starts with `word`, whose token is behind the lexer.
pub(super) fn item<'a>(mut word: Word, mut lexer: Lexer<'a>) -> Option<Opening<'a>> {
    for _ in 0..MODIFIERS {
        let behind = lexer;
        let next = lexer.next();
        match word {
            Word::FN => return named(ItemKind::Fn, next, lexer),
            Word::STRUCT => return named(ItemKind::Struct, next, lexer),
            Word::ENUM => return named(ItemKind::Enum, next, lexer),
            Word::TRAIT => return named(ItemKind::Trait, next, lexer),
            Word::UNION => {
                let after = lexer.peek();
                let declares = after.is(b'{') || after.is(b'<') || word_of(after, &lexer) == Some(Word::WHERE);
                return if declares { named(ItemKind::Union, next, lexer) } else { None };
            }
            Word::MOD => {
                let after = lexer.peek();
                let kind = if after.is(b';') {
                    ItemKind::ModDecl
                } else if after.is(b'{') {
                    ItemKind::Mod
                } else {
                    return None;
                };
                return named(kind, next, lexer);
            }
            Word::TYPE => {
                let after = lexer.peek();
                let declares = after.is(b'=')
                    || after.is(b'<')
                    || after.is(b':')
                    || after.is(b';')
                    || word_of(after, &lexer) == Some(Word::WHERE);
                return if declares { named(ItemKind::TypeAlias, next, lexer) } else { None };
            }
            Word::USE => {
                return if next.is(b'<') { None } else { unnamed(ItemKind::Use, behind) };
            }
            Word::IMPL => return unnamed(ItemKind::Impl, behind),
            Word::MACRO_RULES => {
                if !next.is(b'!') {
                    return None;
                }
                let name = lexer.next();
                return if lexer.peek().kind == Kind::Open { named(ItemKind::MacroRules, name, lexer) } else { None };
            }
            Word::MACRO => {
                let after = lexer.peek();
                return if after.is(b'(') || after.is(b'{') { named(ItemKind::MacroRules, next, lexer) } else { None };
            }
            Word::STATIC => {
                let mut name = next;
                if matches!(word_of(next, &lexer), Some(Word::MUT | Word::REF)) {
                    name = lexer.next();
                }
                return if lexer.peek().is(b':') { named(ItemKind::Static, name, lexer) } else { None };
            }
            Word::CONST => match word_of(next, &lexer) {
                Some(modifier @ (Word::FN | Word::ASYNC | Word::UNSAFE | Word::EXTERN | Word::IMPL | Word::TRAIT)) => {
                    word = modifier
                }
                Some(_) if next.kind == Kind::Ident => {
                    let after = lexer.peek();
                    if after.is(b':') || after.is(b'=') || after.is(b'<') {
                        return named(ItemKind::Const, next, lexer);
                    }
                    // `const gen fn`, `const safe fn`
                    word = word_of(next, &lexer)?;
                    if !matches!(word, Word::GEN | Word::SAFE) {
                        return None;
                    }
                }
                _ => return None,
            },
            Word::EXTERN => {
                let mut next = next;
                if next.kind == Kind::Literal {
                    if lexer.peek().is(b'{') {
                        return unnamed(ItemKind::ExternBlock, lexer);
                    }
                    next = lexer.next();
                } else if next.is(b'{') {
                    return unnamed(ItemKind::ExternBlock, behind);
                }
                match word_of(next, &lexer)? {
                    Word::CRATE => {
                        let name = lexer.next();
                        return named(ItemKind::ExternCrate, name, lexer);
                    }
                    Word::FN => word = Word::FN,
                    _ => return None,
                }
            }
            Word::ASYNC | Word::UNSAFE | Word::DEFAULT | Word::AUTO | Word::SAFE | Word::GEN => {
                word = word_of(next, &lexer)?;
                let modifies = matches!(
                    word,
                    Word::FN
                        | Word::ASYNC
                        | Word::UNSAFE
                        | Word::CONST
                        | Word::EXTERN
                        | Word::IMPL
                        | Word::TRAIT
                        | Word::TYPE
                        | Word::STATIC
                        | Word::MOD
                        | Word::AUTO
                        | Word::GEN
                );
                if !modifies {
                    return None;
                }
            }
            _ => return None,
        }
    }
    None
}

/// The macro call that starts with a path whose first segment (or `::`) is behind the lexer: `a::b! name? {`.
pub(super) fn macro_call<'a>(mut lexer: Lexer<'a>) -> Option<Opening<'a>> {
    for _ in 0..MACRO_PATH {
        let token = lexer.next();
        if token.is(b'!') {
            let next = lexer.peek();
            if next.kind == Kind::Ident {
                lexer.next();
            }
            return if lexer.peek().kind == Kind::Open { unnamed(ItemKind::MacroCall, lexer) } else { None };
        }
        if token.kind != Kind::Ident && !token.is(b':') {
            return None;
        }
    }
    None
}

fn word_of(token: Token, lexer: &Lexer<'_>) -> Option<Word> {
    (token.kind == Kind::Ident).then(|| Word::of(lexer.text(token)))
}

fn named<'a>(kind: ItemKind, name: Token, rest: Lexer<'a>) -> Option<Opening<'a>> {
    (name.kind == Kind::Ident).then_some(Opening { kind, name: Some(name), rest })
}

fn unnamed<'a>(kind: ItemKind, rest: Lexer<'a>) -> Option<Opening<'a>> {
    Some(Opening { kind, name: None, rest })
}
