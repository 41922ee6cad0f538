//! The arguments of a program: `--name value`, in a fixed order.

/// The values of these options, or nothing where the arguments are others.
///
/// ```
/// use anvil_benches::options::values;
///
/// let args = ["--redis", "redis://127.0.0.1", "--jobs", "5"].map(String::from);
/// assert_eq!(values(&args, ["--redis", "--jobs"]), Some(["redis://127.0.0.1", "5"]));
/// assert_eq!(values(&args, ["--jobs", "--redis"]), None);
/// ```
#[must_use]
pub fn values<'a, const N: usize>(args: &'a [String], names: [&str; N]) -> Option<[&'a str; N]> {
    let (pairs, rest) = args.as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    let mut values = [""; N];
    for ((value, name), [given, word]) in values.iter_mut().zip(names).zip(pairs) {
        if given != name {
            return None;
        }
        *value = word;
    }
    Some(values)
}

/// The arguments after the name of the program.
#[must_use]
pub fn args() -> Vec<String> {
    std::env::args().skip(1).collect()
}
