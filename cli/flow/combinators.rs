//! The standard library's combinators on options, results and iterators: what they do with a closure or a default.

/// What a combinator does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Takes {
    /// the receiver's value, else that of the argument
    OrValue,
    /// the receiver's value, else what the closure gives
    OrElse,
    /// what the closure makes of the receiver's value
    Map,
    /// the first argument, or what the second makes of the receiver's value
    MapOr,
    /// the first argument, into which the second takes one thing of the receiver after the other
    Fold,
    /// the receiver; the closure looks on, or decides what stays
    Keep,
    /// the receiver without its absence
    Present,
    /// the receiver's error: none of its value, and there where the outcome is bad
    Error,
}

/// What the method of this name with so many arguments does, if it is a combinator.
pub(crate) fn takes(name: &str, args: usize) -> Option<Takes> {
    Some(match (name, args) {
        ("unwrap_or" | "or" | "get_or_insert" | "or_insert" | "xor" | "chain", 1) => Takes::OrValue,
        (
            "unwrap_or_else" | "or_else" | "get_or_insert_with" | "or_insert_with" | "get_or_init" | "get_or_try_init",
            1,
        ) => Takes::OrElse,
        (
            "map"
            | "and_then"
            | "flat_map"
            | "filter_map"
            | "then"
            | "try_then"
            | "map_ok"
            | "then_some"
            | "map_while"
            | "find_map"
            | "for_each"
            | "try_for_each"
            | "for_each_concurrent"
            | "try_for_each_concurrent"
            | "then_async",
            1 | 2,
        ) => Takes::Map,
        ("map_or" | "map_or_else", 2) => Takes::MapOr,
        ("fold" | "try_fold", 2) => Takes::Fold,
        (
            "filter" | "inspect" | "inspect_ok" | "inspect_err" | "map_err" | "take_while" | "skip_while" | "find"
            | "max_by_key" | "min_by_key" | "sort_by_key" | "with_context" | "or_else_err" | "tap",
            1,
        ) => Takes::Keep,
        ("ok_or" | "ok_or_else" | "unwrap" | "expect" | "ok" | "context" | "wrap_err" | "unwrap_unchecked", 0 | 1) => {
            Takes::Present
        }
        ("err" | "unwrap_err" | "expect_err" | "into_err", 0 | 1) => Takes::Error,
        _ => return None,
    })
}

/// Whether a method leaves of a result no more than whether it came to something, or a value that it has in any case.
pub(crate) fn tells_plainly(name: &str) -> bool {
    matches!(
        name,
        "is_err"
            | "is_err_and"
            | "is_none"
            | "is_none_or"
            | "is_ok"
            | "is_ok_and"
            | "is_some"
            | "is_some_and"
            | "map"
            | "map_or"
            | "unwrap_or"
            | "unwrap_or_default"
    )
}

/// Whether a method of a result only looks at it, words its error anew, or adds to it.
pub(crate) fn rewords(name: &str) -> bool {
    const ADDING: [&str; 2] = ["attach", "change_context"];
    matches!(name, "map_err" | "inspect" | "inspect_err" | "context" | "with_context" | "wrap_err" | "wrap_err_with")
        || ADDING.iter().any(|adding| name.starts_with(adding))
}
