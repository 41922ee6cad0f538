use std::fs;
use std::path::Path;

use crate::Record;

/// The records of one preset.
#[derive(Debug)]
#[non_exhaustive]
pub struct File {
    /// The name of the preset.
    pub name: String,
    /// In the order of the file.
    pub records: Vec<Record>,
}

/// The project's own files, by name.
///
/// # Errors
///
/// A text that says which file can't be used: one that holds no records, or those of another preset.
pub fn own() -> Result<Vec<File>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        let records = load(&path)?;
        if let Some(record) = records.iter().find(|record| record.provider != name) {
            return Err(format!(
                "{}: {:?} is of {}",
                path.display(),
                record.name,
                record.provider
            ));
        }
        files.push(File { name, records });
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

/// The records of a file.
///
/// # Errors
///
/// A text that says what is wrong with it; a file without any record is.
pub fn load(path: &Path) -> Result<Vec<Record>, String> {
    let wrong = |what: String| format!("{}: {what}", path.display());
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let records: Vec<Record> =
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if records.is_empty() {
        return Err(wrong("there is no record".into()));
    }
    Ok(records)
}
