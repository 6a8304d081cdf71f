//! Templates: built in, each replaceable by the application's own.
//!
//! What a template prints is escaped for Markdown unless a filter says otherwise: `code` for a code span, `mermaid` for
//! a label of a diagram, `parts` for a text in pieces. A template of the application has no other powers, and a limit on
//! its steps.

use std::collections::BTreeMap;

use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, context};

use super::model::Document;
use super::{blocks, escape};

/// The templates by name.
const BUILT_IN: [(&str, &str); 6] = [
    ("document.md", include_str!("../../templates/document.md")),
    ("table.md", include_str!("../../templates/table.md")),
    ("handler.md", include_str!("../../templates/handler.md")),
    ("examples.md", include_str!("../../templates/examples.md")),
    ("states.mmd", include_str!("../../templates/states.mmd")),
    ("sequence.mmd", include_str!("../../templates/sequence.mmd")),
];

/// The names of all templates, which are those of the files that may replace them.
pub const TEMPLATE_NAMES: [&str; 6] =
    ["document.md", "table.md", "handler.md", "examples.md", "states.mmd", "sequence.mmd"];

/// Steps that a template may take: tens of thousands of handlers fit, a loop without end does not.
const FUEL: u64 = 20_000_000;

/// The templates of one run.
#[derive(Debug)]
pub struct Templates {
    environment: Environment<'static>,
}

impl Templates {
    /// The built-in templates, some replaced. A name that no template has, and a text that is no template, are errors.
    pub fn new(replaced: BTreeMap<String, String>) -> Result<Self, String> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_keep_trailing_newline(true);
        environment.set_recursion_limit(50);
        environment.set_fuel(Some(FUEL));
        environment.set_auto_escape_callback(|_| AutoEscape::Custom("markdown"));
        environment.set_formatter(|out, state, value| {
            if matches!(state.auto_escape(), AutoEscape::None) || value.is_safe() {
                return minijinja::escape_formatter(out, state, value);
            }
            let text = value.to_string();
            out.write_str(&escape::markdown(&text))?;
            Ok(())
        });
        environment.add_filter("code", |text: &str| Value::from_safe_string(escape::code(text)));
        environment.add_filter("mermaid", |text: &str| Value::from_safe_string(escape::mermaid(text)));
        environment.add_filter("parts", parts);
        for (name, source) in BUILT_IN {
            if !replaced.contains_key(name) {
                add(&mut environment, name, source.to_owned())?;
            }
        }
        for (name, source) in replaced {
            if !TEMPLATE_NAMES.contains(&name.as_str()) {
                return Err(format!("no template is named `{name}`; the names are {}", TEMPLATE_NAMES.join(", ")));
            }
            add(&mut environment, &name, source)?;
        }
        Ok(Self { environment })
    }

    /// The whole document.
    pub fn document(&self, document: &Document) -> Result<String, String> {
        Ok(blocks::marked(
            &self.render("document.md", context! { handlers => document.handlers, unread => document.unread })?,
        ))
    }

    /// The overview alone, for blocks in other files.
    pub fn table(&self, document: &Document) -> Result<String, String> {
        let Document { handlers, unread } = document;
        self.render("table.md", context! { handlers, unread, linked => false })
    }

    fn render(&self, name: &str, context: Value) -> Result<String, String> {
        let template = self.environment.get_template(name).map_err(|error| message(&error))?;
        let text = template.render(context).map_err(|error| message(&error))?;
        let text = text.replace("\r\n", "\n");
        Ok(format!("{}\n", text.trim_end()))
    }
}

fn add(environment: &mut Environment<'static>, name: &str, source: String) -> Result<(), String> {
    environment.add_template_owned(name.to_owned(), source.replace("\r\n", "\n")).map_err(|error| message(&error))
}

/// A text in pieces.
fn parts(pieces: &Value) -> Result<Value, minijinja::Error> {
    let mut out = String::new();
    for piece in pieces.try_iter()? {
        let text = piece.get_attr("text")?.to_string();
        if piece.get_attr("code")?.is_true() {
            out.push_str(&escape::code(&text));
            continue;
        }
        // the spaces at the seams belong to the text; other blanks may break the line
        let start = text.len() - text.trim_start_matches(' ').len();
        let end = text.trim_end_matches(' ').len().max(start);
        out.push_str(&text[..start]);
        out.push_str(&escape::markdown(&text[start..end]));
        out.push_str(&text[end..]);
    }
    Ok(Value::from_safe_string(out))
}

fn message(error: &minijinja::Error) -> String {
    let place = match (error.name(), error.line()) {
        (Some(name), Some(line)) => format!("template `{name}`, line {line}: "),
        (Some(name), None) => format!("template `{name}`: "),
        _ => String::new(),
    };
    let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    format!("{place}{detail}")
}
