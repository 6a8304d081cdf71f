//! What every module sees without importing it: the standard prelude, the keyword types, the standard macros.
//!
//! In: a name. Out: its canonical path.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::defs::{Def, Ns};
use crate::ir::Name;

const TYPES: &[(&str, &str)] = &[
    ("Option", "std::option::Option"),
    ("Result", "std::result::Result"),
    ("String", "std::string::String"),
    ("ToString", "std::string::ToString"),
    ("Vec", "std::vec::Vec"),
    ("Box", "std::boxed::Box"),
    ("ToOwned", "std::borrow::ToOwned"),
    ("Clone", "std::clone::Clone"),
    ("Copy", "std::marker::Copy"),
    ("Send", "std::marker::Send"),
    ("Sync", "std::marker::Sync"),
    ("Sized", "std::marker::Sized"),
    ("Unpin", "std::marker::Unpin"),
    ("Drop", "std::ops::Drop"),
    ("Fn", "std::ops::Fn"),
    ("FnMut", "std::ops::FnMut"),
    ("FnOnce", "std::ops::FnOnce"),
    ("AsyncFn", "std::ops::AsyncFn"),
    ("AsyncFnMut", "std::ops::AsyncFnMut"),
    ("AsyncFnOnce", "std::ops::AsyncFnOnce"),
    ("AsRef", "std::convert::AsRef"),
    ("AsMut", "std::convert::AsMut"),
    ("From", "std::convert::From"),
    ("Into", "std::convert::Into"),
    ("TryFrom", "std::convert::TryFrom"),
    ("TryInto", "std::convert::TryInto"),
    ("FromIterator", "std::iter::FromIterator"),
    ("Iterator", "std::iter::Iterator"),
    ("IntoIterator", "std::iter::IntoIterator"),
    ("DoubleEndedIterator", "std::iter::DoubleEndedIterator"),
    ("ExactSizeIterator", "std::iter::ExactSizeIterator"),
    ("Extend", "std::iter::Extend"),
    ("Default", "std::default::Default"),
    ("Eq", "std::cmp::Eq"),
    ("PartialEq", "std::cmp::PartialEq"),
    ("Ord", "std::cmp::Ord"),
    ("PartialOrd", "std::cmp::PartialOrd"),
    ("Future", "std::future::Future"),
    ("IntoFuture", "std::future::IntoFuture"),
];

const VALUES: &[(&str, &str)] = &[
    ("Some", "std::option::Option::Some"),
    ("None", "std::option::Option::None"),
    ("Ok", "std::result::Result::Ok"),
    ("Err", "std::result::Result::Err"),
    ("drop", "std::mem::drop"),
];

const PRIMITIVES: &[&str] = &[
    "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    "f32", "f64",
];

const MACROS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "include_bytes",
    "include_str",
    "line",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "print",
    "println",
    "stringify",
    "thread_local",
    "todo",
    "try",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

const DERIVES: &[(&str, &str)] = &[
    ("Debug", "std::fmt::Debug"),
    ("Clone", "std::clone::Clone"),
    ("Copy", "std::marker::Copy"),
    ("Default", "std::default::Default"),
    ("Eq", "std::cmp::Eq"),
    ("PartialEq", "std::cmp::PartialEq"),
    ("Ord", "std::cmp::Ord"),
    ("PartialOrd", "std::cmp::PartialOrd"),
    ("Hash", "std::hash::Hash"),
];

/// Attributes of the language itself, which no import changes.
const ATTRIBUTES: &[&str] = &[
    "allow",
    "automatically_derived",
    "cfg",
    "cfg_attr",
    "cold",
    "deny",
    "deprecated",
    "derive",
    "doc",
    "expect",
    "forbid",
    "global_allocator",
    "ignore",
    "inline",
    "link_section",
    "must_use",
    "no_mangle",
    "non_exhaustive",
    "panic_handler",
    "proc_macro",
    "proc_macro_attribute",
    "proc_macro_derive",
    "repr",
    "should_panic",
    "target_feature",
    "test",
    "track_caller",
    "warn",
];

struct Tables {
    names: FxHashMap<(Ns, Name), Def>,
    primitives: FxHashSet<Name>,
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut names = FxHashMap::default();
        let lists = [(Ns::Type, TYPES), (Ns::Value, VALUES), (Ns::Macro, DERIVES)];
        for (ns, list) in lists {
            for (name, path) in list {
                names.insert((ns, Name::new(name)), Def::External(Name::new(path)));
            }
        }
        for name in MACROS {
            let path = Name::new(&format!("std::{name}"));
            names.insert((Ns::Macro, Name::new(name)), Def::External(path));
        }
        let primitives: FxHashSet<Name> = PRIMITIVES.iter().map(|name| Name::new(name)).collect();
        for name in PRIMITIVES {
            let name = Name::new(name);
            names.insert((Ns::Type, name), Def::Primitive(name));
        }
        Tables { names, primitives }
    })
}

/// What the prelude calls by this name.
pub(super) fn prelude(ns: Ns, name: Name) -> Option<Def> {
    tables().names.get(&(ns, name)).copied()
}

/// Whether a name is an attribute of the language.
pub(super) fn is_attribute(name: &str) -> bool {
    ATTRIBUTES.binary_search(&name).is_ok()
}

/// Whether a name is a keyword type.
pub(super) fn is_primitive(name: Name) -> bool {
    tables().primitives.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_sorted_for_the_search() {
        assert!(ATTRIBUTES.is_sorted());
        assert!(is_attribute("derive") && !is_attribute("effect"));
    }
}
