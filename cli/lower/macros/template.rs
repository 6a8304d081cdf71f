//! Format templates: which arguments they show.

use std::ops::Range;

/// Which argument a template means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Argument<'t> {
    /// by position
    Number(usize),
    /// by name, given or captured from the scope
    Named(&'t str),
}

/// One use of an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Use<'t> {
    pub(super) argument: Argument<'t>,
    /// the name or number in the template
    pub(super) range: Range<usize>,
}

/// What a template uses.
#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct Uses<'t> {
    /// one for each placeholder
    pub(super) shown: Vec<Use<'t>>,
    /// widths and precisions
    pub(super) measures: Vec<Use<'t>>,
}

/// Reads a template. What is no placeholder is text; a fault in the template is the compiler's to report.
pub(super) fn uses(template: &str) -> Uses<'_> {
    let mut out = Uses::default();
    let mut next = 0;
    let mut at = 0;
    while let Some(open) = template.get(at..).and_then(|rest| rest.find('{')) {
        let open = at + open;
        if template[open + 1..].starts_with('{') {
            at = open + 2;
            continue;
        }
        let Some(length) = template[open..].find('}') else {
            break;
        };
        placeholder(template, open + 1..open + length, &mut next, &mut out);
        at = open + length + 1;
    }
    out
}

fn placeholder<'t>(template: &'t str, inside: Range<usize>, next: &mut usize, out: &mut Uses<'t>) {
    let text = &template[inside.clone()];
    let (name, spec) = text.split_once(':').unwrap_or((text, ""));
    let spec_start = inside.start + name.len() + 1;
    let name_start = inside.start + (name.len() - name.trim_start().len());
    let name = name.trim();
    for (end, _) in spec.match_indices('$') {
        let from = spec[..end]
            .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
            .map_or(0, |before| before + spec[before..].chars().next().map_or(1, char::len_utf8));
        // the flag `0` in front of a name is none of it
        let word = &spec[from..end];
        let name = if word.bytes().all(|byte| byte.is_ascii_digit()) { word } else { word.trim_start_matches('0') };
        let start = spec_start + end - name.len();
        out.measures.extend(used(name, start));
    }
    if let Some(star) = spec.find(".*") {
        out.measures
            .push(Use { argument: Argument::Number(*next), range: spec_start + star + 1..spec_start + star + 2 });
        *next += 1;
    }
    match used(name, name_start) {
        Some(used) => out.shown.push(used),
        None => {
            out.shown.push(Use { argument: Argument::Number(*next), range: name_start..name_start });
            *next += 1;
        }
    }
}

fn used(name: &str, start: usize) -> Option<Use<'_>> {
    if name.is_empty() {
        return None;
    }
    let argument = match name.parse() {
        Ok(number) => Argument::Number(number),
        Err(_) => Argument::Named(name.trim_start_matches("r#")),
    };
    Some(Use { argument, range: start..start + name.len() })
}

#[cfg(test)]
mod tests {
    use super::{Argument, uses};

    /// The arguments as text: those shown, then after `|` those that measure.
    fn read(template: &str) -> String {
        let uses = uses(template);
        let text = |uses: &[super::Use<'_>]| {
            let uses = uses.iter().map(|used| match used.argument {
                Argument::Number(number) => number.to_string(),
                Argument::Named(name) => {
                    assert_eq!(&template[used.range.clone()], name);
                    name.to_owned()
                }
            });
            uses.collect::<Vec<_>>().join(" ")
        };
        format!("{}|{}", text(&uses.shown), text(&uses.measures))
    }

    #[test]
    fn placeholders() {
        assert_eq!(read("a"), "|");
        assert_eq!(read("{} {} {0} {name} {}"), "0 1 0 name 2|");
        assert_eq!(read("{{}} {{{x}}} }}"), "x|");
        assert_eq!(read("{:?} {id:#?} { id }"), "0 id id|");
        assert_eq!(read("{:>width$} {:.prec$} {:1$} {x:0w$.p$}"), "0 1 2 x|width prec 1 w p");
        assert_eq!(read("{:.*} {}"), "1 2|0");
        assert_eq!(read("{:é>5} {:é>n$}"), "0 1|n");
        assert_eq!(read("{unclosed"), "|");
        assert_eq!(read("}{"), "|");
    }
}
