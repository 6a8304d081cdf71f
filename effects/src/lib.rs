//! Guarantee contracts for handlers of external effects.
#![no_std]
