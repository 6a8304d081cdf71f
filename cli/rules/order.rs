//! The order of all rules. Inside a group it is the precedence: of two rules that name one fault, the first speaks.
//!
//! The names are reserved: configuration may mention each of them.

/// Rules that speak of a fault of their own beside the rest of their group: whoever mends the other one has still this. Who comes
/// first under a key, and what was asked for under it, are two things.
pub(super) const APART: &[&str] = &["payload-not-compared"];

/// All rule names, by group.
pub(super) const ORDER: &[&str] = &[
    // contract
    "retention-below-replay",
    "window-below-replay",
    "window-exceeds-provider",
    "provider-without-dedup",
    "exactly-once-delivery",
    "missing-reconcile",
    "unknown-without-exit",
    "compensation-as-defence",
    "compensated-irreversible",
    "colliding-intent-key",
    "key-exceeds-provider",
    "sensitive-key",
    "missing-field",
    "conflicting-contract",
    // key
    "per-attempt-key",
    "random-key-fallback",
    "unpersisted-key",
    "volatile-key-input",
    "empty-key",
    "missing-key",
    "sdk-minted-key",
    "shared-key",
    "coarse-key",
    "key-mismatch",
    // unknown
    "retry-without-key",
    "unknown-as-failure",
    "compensated-unknown",
    "unknown-as-success",
    "duplicate-as-failure",
    "unreachable-reconcile",
    "reconcile-without-key",
    "hasty-reconcile",
    "receipt-from-request",
    // persist
    "dispatch-in-transaction",
    "dispatch-before-persist",
    "rolled-back-record",
    "dual-write",
    "detached-effect",
    "cancellable-effect",
    "error-after-effect",
    // ack
    "ack-before-persist",
    "ack-on-failure",
    "whole-batch-retried",
    // dedup
    "dedup-outside-transaction",
    "ignored-claim",
    "misplaced-marker",
    "dedup-fails-open",
    "dedup-in-memory",
    "dedup-by-delivery",
    "payload-not-compared",
    "unstable-digest",
    "incomplete-digest",
    // write
    "relative-write",
    "unfenced-commit",
    "unsafe-lease",
    // order
    "irreversible-not-last",
    "unkeyed-compensation",
    "dropped-compensation",
    // replay
    "nondeterministic-workflow",
    "effect-outside-step",
    // docs
    "unqualified-exactly-once",
    "unbounded-effectively-once",
    "stale-guarantee-table",
    // evidence
    "missing-failure-case",
    "empty-evidence",
    "failing-evidence",
    "stale-evidence",
    // coverage
    "undeclared-effect",
    "unproven-key",
    "unparsed-source",
    // meta
    "unused-allow",
    "expired-allow",
    "unknown-rule",
];
