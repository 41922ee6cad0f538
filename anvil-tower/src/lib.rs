//! Tower layers.
