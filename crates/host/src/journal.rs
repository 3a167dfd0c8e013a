//! A file of JSON objects, one a line, that is only ever appended to. Every line is on the disk before its writer goes on,
//! so whatever ends the program, the file tells everything up to there; a last line that was torn is cut off.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde_json::Value;

/// Such a file, open for more, and what stands in it. Nobody else writes to it meanwhile.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    lines: Vec<Value>,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// It cannot be read or written.
    #[error("cannot read or write the file: {0}")]
    File(std::io::Error),
    /// It was to be begun and exists already.
    #[error("the file exists already")]
    Exists,
    /// Another program has it.
    #[error("another program is writing the file")]
    InUse,
    /// A line other than the last is no JSON object, or not the one that it should be.
    #[error("line {line} is damaged: {cause}")]
    Damaged {
        /// The line, from 1.
        line: usize,
        /// Why.
        cause: String,
    },
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
}

impl From<std::io::Error> for JournalError {
    fn from(cause: std::io::Error) -> Self {
        JournalError::File(cause)
    }
}

impl JournalError {
    pub(crate) fn damaged(line: usize, cause: &dyn std::fmt::Display) -> Self {
        JournalError::Damaged { line, cause: cause.to_string() }
    }
}

impl Journal {
    /// Begins a file, which must not be there yet.
    pub(crate) fn create(path: &Path) -> Result<Journal, JournalError> {
        let opened = OpenOptions::new().read(true).append(true).create_new(true).open(path);
        let file = opened.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => JournalError::Exists,
            _ => JournalError::File(error),
        })?;
        take(&file)?;
        // The name has to be on the disk too.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
        Ok(Journal { file, lines: Vec::new() })
    }

    /// Opens a file to go on with it. A last line that was not written to its end is cut off.
    pub(crate) fn open(path: &Path) -> Result<Journal, JournalError> {
        let mut file = OpenOptions::new().read(true).append(true).open(path)?;
        take(&file)?;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut bytes)?;
        let (lines, whole) = whole_lines(&bytes)?;
        if whole < bytes.len() {
            file.set_len(whole as u64)?;
            file.sync_all()?;
        }
        Ok(Journal { file, lines })
    }

    /// The lines of a file that somebody else may be writing.
    pub(crate) fn read(path: &Path) -> Result<Vec<Value>, JournalError> {
        Ok(whole_lines(&std::fs::read(path)?)?.0)
    }

    /// The lines.
    pub(crate) fn lines(&self) -> &[Value] {
        &self.lines
    }

    /// Writes a line to the disk.
    pub(crate) fn append(&mut self, line: Value) -> Result<(), JournalError> {
        let mut bytes = line.to_string().into_bytes();
        bytes.push(b'\n');
        self.file.write_all(&bytes)?;
        self.file.sync_data()?;
        self.lines.push(line);
        Ok(())
    }
}

/// Takes a file for this program alone; a file system without locks has to do without.
fn take(file: &File) -> Result<(), JournalError> {
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => Err(JournalError::InUse),
        Ok(()) | Err(std::fs::TryLockError::Error(_)) => Ok(()),
    }
}

/// The lines that were written to their end, and how many bytes they take. Only the last can be torn by a crash.
fn whole_lines(bytes: &[u8]) -> Result<(Vec<Value>, usize), JournalError> {
    let (mut lines, mut whole) = (Vec::new(), 0);
    for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let is_last = whole + line.len() == bytes.len();
        match serde_json::from_slice::<Value>(line) {
            Ok(read) if line.ends_with(b"\n") && read.is_object() => lines.push(read),
            _ if is_last => return Ok((lines, whole)),
            Ok(_) => return Err(JournalError::damaged(number + 1, &"it is not an object")),
            Err(error) => return Err(JournalError::damaged(number + 1, &error)),
        }
        whole += line.len();
    }
    Ok((lines, whole))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_torn_line_is_cut_off_wherever_it_was_torn() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let lines = [json!({"a": [1, "é"]}), json!({"b": {"c": null}})];
        let mut journal = Journal::create(&path).unwrap();
        assert!(matches!(Journal::create(&path), Err(JournalError::Exists)), "never overwritten");
        assert!(matches!(Journal::open(&path), Err(JournalError::InUse)));
        lines.iter().for_each(|line| journal.append(line.clone()).unwrap());
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..=bytes.len() {
            let torn = folder.path().join(cut.to_string());
            std::fs::write(&torn, &bytes[..cut]).unwrap();
            let mut journal = Journal::open(&torn).unwrap();
            let kept = journal.lines().len();
            assert_eq!(journal.lines(), &lines[..kept]);
            lines[kept..].iter().for_each(|line| journal.append(line.clone()).unwrap());
            drop(journal);
            assert_eq!(std::fs::read(&torn).unwrap(), bytes, "cut at {cut}");
        }
    }

    #[test]
    fn damage_in_the_middle_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        for damage in ["nonsense", "[]", ""] {
            std::fs::write(&path, format!("{{}}\n{damage}\n{{}}\n")).unwrap();
            assert!(matches!(Journal::open(&path), Err(JournalError::Damaged { line: 2, .. })), "{damage}");
        }
    }
}
