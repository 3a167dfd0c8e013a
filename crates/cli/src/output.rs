//! Writing results: to standard output, or to a file that is either complete or untouched.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// Writes a file beside its place and renames it, so that nobody ever sees half of it.
pub(crate) fn write_file(path: &Path, contents: &[u8]) -> Result<()> {
    // A link is followed, so that the file it leads to is replaced and not the link.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let whole = || format!("cannot write {}", path.display());
    let mut file =
        tempfile::Builder::new().prefix(".groundrules-").tempfile_in(folder).with_context(whole)?;
    file.write_all(contents).with_context(whole)?;
    file.as_file().sync_all().with_context(whole)?;
    keep_permissions(path, file.as_file()).with_context(whole)?;
    file.persist(path).map_err(|error| error.error).with_context(whole)?;
    Ok(())
}

/// The new file gets the permissions of the one it replaces, or the usual ones.
fn keep_permissions(path: &Path, file: &std::fs::File) -> std::io::Result<()> {
    match std::fs::metadata(path) {
        Ok(metadata) => file.set_permissions(metadata.permissions()),
        Err(_) => usual_permissions(file),
    }
}

#[cfg(unix)]
fn usual_permissions(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn usual_permissions(_file: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

/// Writes to standard output, without colours unless they are wanted.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes bytes to standard output as they are.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}
