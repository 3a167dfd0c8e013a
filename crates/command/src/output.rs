//! Writing results: to standard output, or to a file that is either complete or untouched.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use groundrules::source::SourceError;

/// An error and its causes in one line, in words: what the system says is put so that it tells what to do, without its
/// number. A cause that the error's own message ends with is not repeated.
pub fn message(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain().map(in_words) {
        if message.is_empty() {
            message = cause;
        } else if !message.ends_with(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    if error.chain().any(is_unknown_game) {
        message += " (`groundrules games` lists the library)";
    }
    message
}

fn in_words(cause: &(dyn std::error::Error + 'static)) -> String {
    let kind =
        cause.downcast_ref::<io::Error>().filter(|error| error.raw_os_error().is_some()).map(io::Error::kind);
    let words = match kind {
        Some(io::ErrorKind::AlreadyExists) => {
            "something of that name exists already; remove it, or give another name"
        }
        Some(io::ErrorKind::NotFound) => "there is no such file or folder",
        Some(io::ErrorKind::PermissionDenied) => "the system does not permit it",
        Some(io::ErrorKind::IsADirectory) => "it is a folder; give a file",
        Some(io::ErrorKind::NotADirectory) => "a part of the path is a file, not a folder",
        Some(io::ErrorKind::StorageFull) => "the disk is full",
        Some(io::ErrorKind::AddrInUse) => "another program uses the address; give another --port",
        _ => return without_number(cause.to_string()),
    };
    words.to_owned()
}

/// The text without the number that the system's errors end with: ` (os error 17)`.
fn without_number(text: String) -> String {
    match text.rfind(" (os error ") {
        Some(at) if text.ends_with(')') => text[..at].to_owned(),
        _ => text,
    }
}

fn is_unknown_game(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(SourceError::Unknown { .. }))
}

/// Replaces a file atomically: writes a temporary file in the same folder and renames it. Devices, pipes, dangling links
/// and files with several hard links cannot be replaced like that and are written to directly.
pub fn write_file(path: &Path, contents: &[u8]) -> Result<()> {
    stream_file(path, |out| out.write_all(contents))
}

/// Writes a file like [`write_file`], piece by piece.
pub fn stream_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let context = || format!("cannot write {}", path.display());
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        bail!("cannot write {}: there is no folder {}", path.display(), folder.display());
    }
    let existing = fs::symlink_metadata(path).ok();
    // A link is followed, so that the file it leads to is replaced and not the link.
    let target = path.canonicalize().ok();
    let metadata = target.as_ref().and_then(|target| fs::metadata(target).ok());
    if metadata.as_ref().is_some_and(|metadata| metadata.is_file() && metadata.permissions().readonly()) {
        bail!("cannot write {}: it is read-only", path.display());
    }
    match (target, metadata) {
        (Some(target), Some(metadata)) if metadata.is_file() && hard_links(&metadata) == 1 => {
            replace(&target, fill, Some(metadata.permissions())).with_context(context)
        }
        (None, None) if existing.is_none() => replace(path, fill, None).with_context(context),
        _ => fs::File::create(path).and_then(|file| filled(file, fill).map(drop)).with_context(context),
    }
}

/// Writes to something through a buffer, and gives it back.
fn filled<W: Write>(out: W, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<W> {
    let mut buffered = BufWriter::with_capacity(1 << 16, out);
    fill(&mut buffered)?;
    buffered.into_inner().map_err(io::IntoInnerError::into_error)
}

fn replace(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    permissions: Option<fs::Permissions>,
) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".groundrules-");
    if let Some(permissions) = permissions.or_else(default_permissions) {
        builder.permissions(permissions);
    }
    let file = filled(builder.tempfile_in(folder)?, fill)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// The permissions of a new file before the umask is applied.
#[cfg(unix)]
fn default_permissions() -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn default_permissions() -> Option<fs::Permissions> {
    None
}

/// How many hard links a file has.
#[cfg(unix)]
fn hard_links(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn hard_links(_metadata: &fs::Metadata) -> u64 {
    1
}

/// Writes to standard output, without colours unless they are wanted.
pub fn print(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes bytes to standard output as they are.
pub fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// Writes to standard output piece by piece, as it is.
pub fn stream(fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    filled(io::stdout().lock(), fill)?.flush()?;
    Ok(())
}

/// Reports errors on standard error, and gives the exit code for them if there are any.
pub fn report_errors(errors: &[anyhow::Error]) -> Option<ExitCode> {
    for error in errors {
        anstream::eprintln!("groundrules: {}", message(error));
    }
    (!errors.is_empty()).then(|| ExitCode::from(2))
}

/// The text with control characters replaced by spaces, so that it cannot control a terminal.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A number with its noun.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count), if count == 1 { "" } else { "s" })
}

/// A number with its digits in groups of three, from five digits on.
///
/// ```
/// use groundrules_command::output::thousands;
///
/// assert_eq!([5478, 16_167].map(thousands), ["5478", "16,167"]);
/// ```
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_are_put_in_words() {
        let told = |code, context: &'static str| {
            message(&anyhow::Error::new(io::Error::from_raw_os_error(code)).context(context))
        };
        assert_eq!(told(2, "cannot open a"), "cannot open a: there is no such file or folder");
        assert!(told(17, "cannot make the folder a").ends_with("remove it, or give another name"));
        assert!(!told(5, "cannot read a").contains("os error"), "{}", told(5, "cannot read a"));
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 9999, 10_000, 1_234_567].map(thousands), ["0", "9999", "10,000", "1,234,567"]);
        assert_eq!([1, 2].map(|count| counted(count, "state")), ["1 state", "2 states"]);
    }

    #[test]
    fn files_are_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.kif");
        write_file(&path, b"one").unwrap();
        write_file(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");
        assert!(write_file(&folder.path().join("nowhere/game.kif"), b"x").is_err());
    }

    #[test]
    #[cfg(unix)]
    fn links_are_followed_and_read_only_files_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link, hard) = (folder.path().join("a"), folder.path().join("b"), folder.path().join("c"));
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_file(&link, b"through a link that led nowhere").unwrap();
        write_file(&link, b"one").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        fs::hard_link(&path, &hard).unwrap();
        write_file(&path, b"two").unwrap();
        assert_eq!(fs::read(&hard).unwrap(), b"two");
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        assert!(write_file(&path, b"three").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"two");
    }
}
