use std::io;

use super::escape;
use crate::terminal::Terminal;

/// Columns as wide as their widest cell, two spaces apart; the last one is as long as it is.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(heading: &[&str]) -> Self {
        let heading = heading.iter().map(|&name| name.to_owned()).collect();
        Self {
            rows: vec![heading],
        }
    }

    /// Adds a row; an empty cell shows as `-`, so that every row has as many words as columns.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let shown = |cell: String| match cell.as_str() {
            "" => "-".to_owned(),
            cell => escape(cell).into_owned(),
        };
        self.rows.push(cells.into_iter().map(shown).collect());
    }

    pub(crate) fn write(&self, terminal: &mut Terminal<'_>) -> io::Result<()> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<_> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(&format!("{cell:width$}  "));
            }
            terminal.line(line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_no_cell_breaks_a_line() {
        let mut table = Table::new(&["ID", "KIND", "ERROR"]);
        table.row(["1".into(), "invoice.paid".into(), "a\nb".into()]);
        table.row(["22".into(), String::new(), "é".into()]);
        let mut shown = Vec::new();
        let mut terminal = Terminal::piped(&mut shown, io::sink());
        table.write(&mut terminal).unwrap();
        drop(terminal);
        assert_eq!(
            String::from_utf8(shown).unwrap(),
            "ID  KIND          ERROR\n1   invoice.paid  a\\nb\n22  -             é\n"
        );
    }
}
