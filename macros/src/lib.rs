//! The effect attribute.
