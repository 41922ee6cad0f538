//! The arithmetic on a handful of figures.

/// The middle figure, or the mean of the two in the middle. NaN for no figures.
pub(super) fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.as_slice() {
        [] => f64::NAN,
        odd if odd.len() % 2 == 1 => odd[middle],
        even => f64::midpoint(even[middle - 1], even[middle]),
    }
}

/// The smallest and the largest figure.
pub(super) fn range(figures: &[f64]) -> (f64, f64) {
    figures.iter().fold(
        (f64::INFINITY, f64::NEG_INFINITY),
        |(low, high), &figure| (low.min(figure), high.max(figure)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_odd_number_is_the_middle_one_of_the_sorted() {
        assert_eq!(median(&[9.0, 1.0, 5.0]), 5.0);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(median(&[4.0, 1.0, 2.0, 100.0]), 3.0);
    }

    #[test]
    fn one_slow_run_does_not_move_the_median_far() {
        assert_eq!(median(&[1.0, 1.1, 1.2, 1.1, 40.0]), 1.1);
    }

    #[test]
    fn the_median_of_nothing_is_no_number() {
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn the_range_spans_all_figures() {
        assert_eq!(range(&[2.0, -1.0, 3.5]), (-1.0, 3.5));
    }
}
