use super::Facts;

pub(super) const LIST: &[&Facts] = &[];
