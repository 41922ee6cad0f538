//! The in-memory backend.
