//! Comparing more than two: everybody runs once a round.

use super::measure::{Figure, Pair, RUNS};
use crate::error::Error;

/// Runs every contestant once a round and returns the figures of each.
///
/// Who begins moves on by one each round, so that nobody always finds the warmer machine.
pub(super) fn rounds<const N: usize>(
    name: &str,
    unit: &str,
    contestants: [&str; N],
    mut run: impl FnMut(usize) -> Result<f64, Error>,
) -> Result<[Vec<f64>; N], Error> {
    let mut figures = [(); N].map(|()| Vec::with_capacity(RUNS));
    for number in 0..RUNS {
        for turn in 0..N {
            let place = (number + turn) % N;
            let figure = run(place)?;
            println!(
                "{name}: round {} of {RUNS}: {} {} {unit}",
                number + 1,
                contestants[place],
                Figure(figure)
            );
            figures[place].push(figure);
        }
    }
    Ok(figures)
}

/// Ours with the figure of another of the same round.
pub(super) fn pairs(ours: &[f64], others: &[f64]) -> Vec<Pair> {
    ours.iter()
        .zip(others)
        .map(|(&ours, &floor)| Pair { ours, floor })
        .collect()
}

/// Runs once more where a run does not count; the inner error says why it does not.
pub(super) fn valid<T>(
    mut run: impl FnMut() -> Result<Result<T, String>, Error>,
) -> Result<T, Error> {
    let problem = match run()? {
        Ok(figure) => return Ok(figure),
        Err(problem) => problem,
    };
    println!("invalid, run again: {problem}");
    run()?.map_err(|problem| Error::unusable(format!("two invalid runs: {problem}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_begins_in_turn_and_runs_as_often() {
        let mut order = Vec::new();
        let figures = rounds("x", "ns", ["a", "b", "c"], |place| {
            order.push(place);
            Ok(place as f64)
        })
        .unwrap();
        assert_eq!(order[..9], [0, 1, 2, 1, 2, 0, 2, 0, 1]);
        assert_eq!(figures[2], [2.0; RUNS]);
    }

    #[test]
    fn a_run_that_does_not_count_is_repeated_once() {
        let mut runs = 0;
        let second_counts = valid(|| {
            runs += 1;
            Ok(if runs == 2 {
                Ok(runs)
            } else {
                Err("a duplicate".to_owned())
            })
        });
        assert_eq!(second_counts.unwrap(), 2);

        let none_counts: Result<(), _> = valid(|| Ok(Err("a duplicate".to_owned())));
        assert!(none_counts.unwrap_err().to_string().contains("a duplicate"));
    }

    #[test]
    fn figures_of_one_round_make_a_pair() {
        let pairs = pairs(&[1.0, 2.0], &[4.0, 8.0]);
        assert_eq!((pairs[1].ours, pairs[1].floor), (2.0, 8.0));
    }
}
