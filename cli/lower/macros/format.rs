//! Formatting macros, and those of logging and tracing with their fields.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, Ident, LitStr, Token, token};

use super::template::{Argument, Use, uses};
use super::{Call, concatenated};
use crate::ir::{ExprId, ExprKind, FormatCall, Name};
use crate::lower::body::Lowerer;
use crate::lower::types;
use crate::source::TextRange;

/// Parsed arguments, not yet lowered.
#[derive(Default)]
struct Arguments {
    before: Vec<Expr>,
    template: Option<Template>,
    positional: Vec<Expr>,
    named: Vec<(Ident, Expr)>,
    /// values of a tracing event's fields
    fields: Vec<Expr>,
}

struct Template {
    text: String,
    span: proc_macro2::Span,
}

impl Lowerer<'_, '_> {
    /// A macro with a template.
    pub(super) fn format_macro(&mut self, call: Call<'_>, before: usize) -> Option<ExprId> {
        self.format_tokens(call, before, call.node.tokens.clone())
    }

    /// The same, of some of its tokens.
    pub(super) fn format_tokens(&mut self, call: Call<'_>, before: usize, tokens: TokenStream) -> Option<ExprId> {
        let parser = |input: ParseStream<'_>| {
            let mut arguments = Arguments::default();
            while arguments.before.len() < before && !input.is_empty() {
                arguments.before.push(input.parse()?);
                comma(input)?;
            }
            formatted(input, &mut arguments, false)?;
            Ok(arguments)
        };
        let arguments = parser.parse2(tokens).ok()?;
        Some(self.format_call(call, &arguments))
    }

    /// A macro with fields and a template.
    pub(super) fn event_macro(&mut self, call: Call<'_>, before: usize) -> Option<ExprId> {
        let parser = |input: ParseStream<'_>| event(input, before);
        let arguments = parser.parse2(call.node.tokens.clone()).ok()?;
        Some(self.format_call(call, &arguments))
    }

    fn format_call(&mut self, call: Call<'_>, arguments: &Arguments) -> ExprId {
        let before = self.exprs(&arguments.before);
        let positional = self.exprs(&arguments.positional);
        let mut all = positional.into_vec();
        let mut named = HashMap::new();
        for (ident, value) in &arguments.named {
            named.insert(types::name(ident), all.len());
            let id = self.expr(value);
            all.push(id);
        }
        let fields = self.exprs(&arguments.fields);
        let mut shown = vec![false; all.len()];
        let mut values = Vec::new();
        if let Some(template) = &arguments.template {
            let within = self.literal_text(template);
            let uses = uses(&template.text);
            let mut value = |lowerer: &mut Self, used: &Use<'_>| {
                let number = match used.argument {
                    Argument::Number(number) => Some(number),
                    Argument::Named(name) => named.get(&Name::new(name)).copied(),
                };
                if let Some(number) = number {
                    if let Some(shown) = shown.get_mut(number) {
                        *shown = true;
                        return all[number];
                    }
                }
                let range = within.part(&used.range);
                let kind = match used.argument {
                    Argument::Named(name) => lowerer.named(Name::new(name)),
                    Argument::Number(_) => ExprKind::Opaque("a format argument that is not given"),
                };
                lowerer.add(kind, range)
            };
            let measured: Vec<_> = uses.measures.iter().map(|used| value(self, used)).collect();
            values.extend(uses.shown.iter().map(|used| value(self, used)));
            values.extend(fields);
            values.extend(measured);
        } else {
            values.extend(fields);
        }
        let rest = all.iter().zip(shown).filter(|&(_, shown)| !shown);
        values.extend(rest.map(|(&id, _)| id));
        let template = arguments.template.as_ref();
        let format = FormatCall {
            name: call.name,
            before,
            template: template.map(|template| template.text.as_str().into()),
            values: values.into_boxed_slice(),
        };
        self.add(ExprKind::Format(Box::new(format)), call.range)
    }

    /// Where the text of a template literal is, if it stands in the source as it is.
    fn literal_text(&self, template: &Template) -> Within {
        let whole = self.cut.range(template.span);
        let source = self.cut.source.slice(whole);
        let quote = source.find('"').map(|quote| quote + 1);
        let start = quote.filter(|&quote| source.get(quote..).is_some_and(|text| text.starts_with(&template.text)));
        Within { whole, start: start.map(|start| whole.start + start as u32) }
    }
}

/// The place of a literal's text.
struct Within {
    whole: TextRange,
    start: Option<u32>,
}

impl Within {
    /// The place of a part of the text; that of the literal if it has escapes.
    fn part(&self, range: &std::ops::Range<usize>) -> TextRange {
        match self.start {
            Some(start) if !range.is_empty() => {
                TextRange { start: start + range.start as u32, end: start + range.end as u32 }
            }
            _ => self.whole,
        }
    }
}

fn comma(input: ParseStream<'_>) -> syn::Result<()> {
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok(())
}

/// A template with its arguments, or values alone. Those of an event may be fields: `span!("name", id = %id)`.
fn formatted(input: ParseStream<'_>, arguments: &mut Arguments, event: bool) -> syn::Result<()> {
    if input.is_empty() {
        return Ok(());
    }
    arguments.template = template(input)?;
    if arguments.template.is_some() {
        comma(input)?;
    }
    while !input.is_empty() {
        if input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
            let name = input.call(Ident::parse_any)?;
            input.parse::<Token![=]>()?;
            if event {
                sigil(input)?;
            }
            arguments.named.push((name, input.parse()?));
        } else if event {
            arguments.positional.push(field(input)?);
        } else {
            arguments.positional.push(input.parse()?);
        }
        comma(input)?;
    }
    Ok(())
}

/// A literal or `concat!` in front of a comma or the end.
fn template(input: ParseStream<'_>) -> syn::Result<Option<Template>> {
    let ahead = input.fork();
    let found = if ahead.peek(LitStr) {
        let literal: LitStr = ahead.parse()?;
        Some(Template { text: literal.value(), span: literal.span() })
    } else if let Ok(node) = ahead.parse::<syn::Macro>() {
        concatenated(&node).map(|text| Template { text, span: node.delimiter.span().join() })
    } else {
        None
    };
    // `"a".to_owned()` is a value
    if found.is_none() || !(ahead.is_empty() || ahead.peek(Token![,])) {
        return Ok(None);
    }
    match input.peek(LitStr) {
        true => drop(input.parse::<LitStr>()?),
        false => drop(input.parse::<syn::Macro>()?),
    }
    Ok(found)
}

/// `target: …, level, { fields }, field = %value, ?value, "template {}", arguments`.
fn event(input: ParseStream<'_>, before: usize) -> syn::Result<Arguments> {
    let mut arguments = Arguments::default();
    loop {
        if input.is_empty() {
            return Ok(arguments);
        }
        let setting = ["target", "parent", "name", "logger"];
        if input.peek(Ident) && input.peek2(Token![:]) && !input.peek2(Token![::]) && !log_field(input) {
            let ident: Ident = input.fork().parse()?;
            if setting.iter().any(|setting| ident == setting) {
                input.parse::<Ident>()?;
                input.parse::<Token![:]>()?;
                input.parse::<Expr>()?;
                separator(input)?;
                continue;
            }
        }
        if arguments.before.len() < before {
            arguments.before.push(input.parse()?);
        } else if input.peek(token::Brace) && !input.peek2(Token![=]) {
            let content;
            syn::braced!(content in input);
            while !content.is_empty() {
                arguments.fields.push(field(&content)?);
                comma(&content)?;
            }
        } else if !(input.peek(LitStr) && input.peek2(Token![=])) && template(&input.fork())?.is_some() {
            formatted(input, &mut arguments, true)?;
            return Ok(arguments);
        } else {
            arguments.fields.push(field(input)?);
        }
        separator(input)?;
    }
}

/// `,`, or the `;` of `log` between its fields and the template.
fn separator(input: ParseStream<'_>) -> syn::Result<()> {
    if input.parse::<Option<Token![;]>>()?.is_none() {
        comma(input)?;
    }
    Ok(())
}

/// `key:? = value`, `key:%; `: how `log` formats a field.
fn log_field(input: ParseStream<'_>) -> bool {
    input.peek3(Token![?]) || input.peek3(Token![%])
}

/// One field: the value, which may be the field's own name.
fn field(input: ParseStream<'_>) -> syn::Result<Expr> {
    let ahead = input.fork();
    if name(&ahead).is_ok() {
        let format = ahead.peek(Token![:]) && !ahead.peek(Token![::]);
        if format {
            ahead.parse::<Token![:]>()?;
            ahead.parse::<proc_macro2::TokenTree>()?;
        }
        if ahead.peek(Token![=]) && !ahead.peek(Token![==]) {
            name(input)?;
            if format {
                input.parse::<Token![:]>()?;
                input.parse::<proc_macro2::TokenTree>()?;
            }
            input.parse::<Token![=]>()?;
            sigil(input)?;
            return input.parse();
        }
        if format {
            let value = input.parse::<syn::ExprPath>()?;
            input.parse::<Token![:]>()?;
            input.parse::<proc_macro2::TokenTree>()?;
            return Ok(Expr::Path(value));
        }
    }
    sigil(input)?;
    input.parse()
}

/// `a.b.c`, a literal, or a constant in braces.
fn name(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(LitStr) || input.peek(token::Brace) {
        input.parse::<proc_macro2::TokenTree>()?;
        return Ok(());
    }
    input.call(Ident::parse_any)?;
    while input.peek(Token![.]) || input.peek(Token![::]) {
        if input.parse::<Option<Token![.]>>()?.is_none() {
            input.parse::<Token![::]>()?;
        }
        input.call(Ident::parse_any)?;
    }
    Ok(())
}

/// `%` or `?` in front of a value.
fn sigil(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(Token![%]) {
        input.parse::<Token![%]>()?;
    } else if input.peek(Token![?]) {
        input.parse::<Token![?]>()?;
    }
    Ok(())
}
