//! Whether a request acts or only asks, where its caller says so: by the HTTP method, or by the name of a procedure.

use super::events::EventKind;
use super::sources::Sources;
use super::uses::Use;
use super::value::{Kind, Value};

/// What a method of HTTP does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Does {
    /// it reads
    Asks,
    /// it states how things are to be: said twice, they are so
    States,
    /// it acts, each time
    Acts,
}

/// What a method does that a value names: `Method::POST`, `"POST"`.
pub(crate) fn does(value: &Value) -> Option<Does> {
    value.text().map(by_name)
}

fn by_name(text: &str) -> Does {
    match &*text.rsplit("::").next().unwrap_or(text).to_ascii_uppercase() {
        "GET" | "HEAD" | "OPTIONS" | "TRACE" | "CONNECT" => Does::Asks,
        "POST" | "PATCH" => Does::Acts,
        _ => Does::States,
    }
}

/// Whether a caller says which method it is.
pub(crate) fn is_open(value: &Value) -> bool {
    value.atoms().any(|atom| matches!(atom.kind, Kind::Param(..)))
}

impl Use {
    /// What the method of the request does, where a caller has said it just now.
    pub(crate) fn said_method(&mut self) -> Option<Does> {
        let does = does(&self.method)?;
        self.method = Value::bottom();
        self.harmless = does != Does::Acts;
        Some(does)
    }
}

impl EventKind {
    /// A request for a procedure that only reads asks.
    pub(crate) fn ask_only(&mut self, reads: impl FnOnce(&Sources) -> bool) {
        match self {
            Self::Dispatch { procedure, args, .. } if reads(procedure) => {
                *self = Self::Asked { by: std::mem::take(args) }
            }
            _ => {}
        }
    }

    /// So does one by a method that only reads; one that acts does harm when it is repeated.
    pub(crate) fn said_method(&mut self) {
        let Self::Dispatch { method, harmless, args, .. } = self else {
            return;
        };
        let mut said = method.iter().map(|source| match source.kind() {
            Kind::Constant(text) => text.map(|text| by_name(text.as_str())),
            _ => None,
        });
        let (Some(does), None) = (said.next().flatten(), said.next()) else {
            return;
        };
        drop(said);
        *method = Sources::default();
        *harmless = does != Does::Acts;
        if does == Does::Asks {
            *self = Self::Asked { by: std::mem::take(args) };
        }
    }
}
