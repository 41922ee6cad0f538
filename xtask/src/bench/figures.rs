//! What a run prints: words of the form `name=number`.

use crate::error::Error;

/// The figures of one run.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Figures(Vec<(String, f64)>);

impl Figures {
    /// Reads the last line that holds a figure; everything else in the text is ignored.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        text.lines()
            .rev()
            .map(Self::parse_line)
            .find(|figures| !figures.0.is_empty())
            .ok_or_else(|| Error::unusable(format!("no figure in the output {text:?}")))
    }

    /// The figure of this name.
    pub(super) fn get(&self, name: &str) -> Result<f64, Error> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| *value)
            .ok_or_else(|| Error::unusable(format!("the run did not print `{name}=`")))
    }

    /// The figure of this name, which has to be above zero: it is to be divided by.
    pub(super) fn positive(&self, name: &str) -> Result<f64, Error> {
        let value = self.get(name)?;
        if value > 0.0 {
            Ok(value)
        } else {
            Err(Error::unusable(format!("the run printed `{name}={value}`")))
        }
    }

    fn parse_line(line: &str) -> Self {
        let figures = line.split_whitespace().filter_map(|word| {
            let (name, value) = word.split_once('=')?;
            let value: f64 = value.parse().ok()?;
            value.is_finite().then(|| (name.to_owned(), value))
        });
        Self(figures.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_of_a_line_is_read() {
        let figures = Figures::parse("rss_mib=211.5 answered_408=200\n").unwrap();
        assert_eq!(figures.get("rss_mib").unwrap(), 211.5);
        assert_eq!(figures.get("answered_408").unwrap(), 200.0);
    }

    #[test]
    fn the_last_line_with_figures_counts() {
        let text = "warm-up ns_per_op=900\nns_per_op=512.25\ndone\n";
        assert_eq!(
            Figures::parse(text).unwrap().get("ns_per_op").unwrap(),
            512.25
        );
    }

    #[test]
    fn a_missing_figure_is_an_error_that_names_it() {
        let error = Figures::parse("jobs_per_s=1")
            .unwrap()
            .get("ns_per_op")
            .unwrap_err();
        assert!(error.to_string().contains("ns_per_op"));
    }

    #[test]
    fn text_without_figures_is_an_error() {
        assert!(Figures::parse("listening\nns_per_op=fast ns_per_op=NaN\n").is_err());
    }

    #[test]
    fn zero_cannot_be_divided_by() {
        assert!(
            Figures::parse("jobs_per_s=0")
                .unwrap()
                .positive("jobs_per_s")
                .is_err()
        );
    }
}
