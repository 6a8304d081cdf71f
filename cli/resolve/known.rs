//! Names the language itself gives a meaning to, interned once, so that comparing them costs a number.

use std::sync::OnceLock;

use crate::ir::Name;

macro_rules! known {
    ($($field:ident = $text:literal,)*) => {
        /// Interned keywords and standard paths.
        pub(super) struct Known {
            $(pub(super) $field: Name,)*
        }

        /// The one table of them.
        pub(super) fn known() -> &'static Known {
            static KNOWN: OnceLock<Known> = OnceLock::new();
            KNOWN.get_or_init(|| Known { $($field: Name::new($text),)* })
        }
    };
}

known! {
    crate_ = "crate",
    dollar_crate = "$crate",
    self_ = "self",
    super_ = "super",
    self_type = "Self",
    std = "std",
    core = "core",
    alloc = "alloc",
    underscore = "_",
    bool_ = "bool",
    str_ = "str",
    char_ = "char",
    u8_ = "u8",
    int = "{integer}",
    float = "{float}",
    option = "std::option::Option",
    some = "std::option::Option::Some",
    none = "std::option::Option::None",
    result = "std::result::Result",
    ok = "std::result::Result::Ok",
    err = "std::result::Result::Err",
    string = "std::string::String",
    iterator = "std::iter::Iterator",
    into_iterator = "std::iter::IntoIterator",
    stream = "futures::Stream",
    fn_ = "std::ops::Fn",
    future = "std::future::Future",
    range = "std::ops::Range",
    default = "default",
    new = "new",
    default_default = "std::default::Default::default",
    into_trait = "std::convert::Into",
    from = "from",
    try_from = "try_from",
    into = "into",
    try_into = "try_into",
    from_str = "from_str",
    parse = "parse",
    collect = "collect",
    deref_trait = "std::ops::Deref",
    target = "Target",
    item = "Item",
    output = "Output",
    into_iter = "into_iter",
    clone = "clone",
    push = "push",
    insert = "insert",
    unwrap = "unwrap",
    expect = "expect",
    format = "format",
    map_err = "map_err",
    to_string = "to_string",
    try_join = "try_join",
    value = "serde_json::Value",
    vec = "std::vec::Vec",
    from_from = "std::convert::From::from",
    into_into = "std::convert::Into::into",
    try_from_try_from = "std::convert::TryFrom::try_from",
    try_into_try_into = "std::convert::TryInto::try_into",
    tuple = "tuple",
}
