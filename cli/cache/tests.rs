//! Results are kept and found again.
