//! Runs a child process within limits on time and memory, and measures it: output, time, peak memory.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use groundrules_command::output;
use wait4::{ResUse, Wait4};

/// How many bytes of standard error are kept.
const KEPT_ERRORS: u64 = 64 * 1024;

/// No clock is asked for more than this, about a century.
const LONGEST: Duration = Duration::from_secs(3_000_000_000);

/// When a process is killed.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// After this time.
    pub(super) time: Duration,
    /// Its address space, in bytes; not enforced on every system.
    pub(super) memory: u64,
}

/// What a process used, as the system counts it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usage {
    /// From its start to its end.
    pub(super) wall: Duration,
    /// Processor time, its own and the system's on its behalf.
    pub(super) cpu: Duration,
    /// The most memory it held at a time. Never less than this program held when it started the process, because the
    /// system counts from before the process became another program: so this program keeps itself small.
    pub(super) resident_bytes: u64,
}

/// Runs a process and discards its output.
pub(super) fn run(mut command: Command, limits: Limits) -> Result<Usage, String> {
    command.stdout(Stdio::null());
    watch(command, limits, &[0], |_| ()).map(|(usage, ())| usage)
}

/// Runs a process and reads its output, in a thread of its own, with `read`.
pub(super) fn run_reading<T: Send + 'static>(
    command: Command,
    limits: Limits,
    read: fn(ChildStdout) -> T,
) -> Result<(Usage, T), String> {
    run_ending(command, limits, &[0], read)
}

/// The same for a process that may end with one of several exit codes.
pub(super) fn run_ending<T: Send + 'static>(
    mut command: Command,
    limits: Limits,
    codes: &[i32],
    read: fn(ChildStdout) -> T,
) -> Result<(Usage, T), String> {
    command.stdout(Stdio::piped());
    let (usage, output) = watch(command, limits, codes, move |stdout| stdout.map(read))?;
    output.map(|output| (usage, output)).ok_or_else(|| "its output was lost".to_owned())
}

/// All that a process writes, as text.
pub(super) fn read_text(mut stdout: ChildStdout) -> String {
    let mut text = Vec::new();
    // The reader of the text detects truncated output.
    let _ = stdout.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The error is the first error line that the process wrote, or else its exit status.
fn watch<T: Send + 'static>(
    mut command: Command,
    limits: Limits,
    codes: &[i32],
    read: impl FnOnce(Option<ChildStdout>) -> T + Send + 'static,
) -> Result<(Usage, T), String> {
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
    limit_memory(&child, limits.memory);
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let output = in_thread(move || read(stdout));
    let errors = in_thread(move || stderr.map_or_else(String::new, read_errors));
    // Both pipes are closed when the process has ended or is about to. Waiting for that and not for the process itself
    // leaves it unreaped, so that its id cannot belong to another process when it has to be killed.
    let deadline = start + limits.time.min(LONGEST);
    let Some((errors, output)) = before(deadline, &errors).zip(before(deadline, &output)) else {
        // It may have ended just now, which is as good.
        let _ = child.kill();
        let _ = child.wait4();
        return Err(format!("not done within {} s", limits.time.as_secs_f64()));
    };
    let used = child.wait4().map_err(|error| format!("cannot be waited for: {error}"))?;
    let usage = usage(&used, start.elapsed());
    if used.status.code().is_some_and(|code| codes.contains(&code)) {
        return Ok((usage, output));
    }
    Err(first_error(&errors).unwrap_or_else(|| format!("ended with {}", used.status)))
}

fn usage(used: &ResUse, wall: Duration) -> Usage {
    Usage { wall, cpu: used.rusage.utime + used.rusage.stime, resident_bytes: used.rusage.maxrss }
}

fn in_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (sender, receiver) = channel();
    // Nobody waits for the thread: a killed process may leave another one behind that keeps the pipe open.
    thread::spawn(move || sender.send(work()));
    receiver
}

/// What a thread gives before the deadline.
fn before<T>(deadline: Instant, thread: &Receiver<T>) -> Option<T> {
    thread.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
}

/// Reads to the end, so that the process never waits for a reader, and keeps the beginning.
fn read_errors(stderr: impl Read) -> String {
    let mut kept = Vec::new();
    let mut stderr = BufReader::new(stderr);
    let _ = stderr.by_ref().take(KEPT_ERRORS).read_to_end(&mut kept);
    while let Ok(bytes @ 1..) = stderr.fill_buf().map(<[u8]>::len) {
        stderr.consume(bytes);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// The first line that says it is an error, else the first line: gringo writes remarks before it fails.
fn first_error(errors: &str) -> Option<String> {
    let mut lines = errors.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.clone().find(|line| line.to_lowercase().contains("error:"));
    error.or_else(|| lines.next()).map(|line| output::printable(line).chars().take(300).collect())
}

/// A grounding that does not terminate must not exhaust memory.
#[cfg(target_os = "linux")]
fn limit_memory(child: &Child, bytes: u64) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
    // A process that has ended already needs no limit.
    let _ = prlimit(Some(Pid::from_child(child)), Resource::As, limit);
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_child: &Child, _bytes: u64) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    fn shell(script: &str, seconds: f64) -> Result<(Usage, String), String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let limits = Limits { time: Duration::from_secs_f64(seconds), memory: 1 << 30 };
        run_reading(command, limits, |mut stdout| {
            let mut text = String::new();
            stdout.read_to_string(&mut text).map_or_else(|error| error.to_string(), |_| text)
        })
    }

    #[test]
    #[cfg(unix)]
    fn processes_are_read_measured_and_given_up() {
        let (usage, text) = shell("echo out; echo remark >&2", 60.0).unwrap();
        assert_eq!(text, "out\n");
        assert!(usage.wall > Duration::ZERO && usage.resident_bytes > 0);
        assert_eq!(
            shell("echo remark >&2; echo 'an Error: x' >&2; exit 1", 60.0).unwrap_err(),
            "an Error: x"
        );
        assert!(shell("exit 3", 60.0).unwrap_err().contains('3'));
        let start = Instant::now();
        assert_eq!(shell("sleep 30", 0.1).unwrap_err(), "not done within 0.1 s");
        assert!(start.elapsed() < Duration::from_secs(20));
        assert!(run(Command::new("no-such-program"), Limits { time: Duration::MAX, memory: 0 }).is_err());
    }

    #[test]
    fn the_first_error_is_the_one_shown() {
        assert_eq!(first_error("\n\n"), None);
        assert_eq!(first_error("\n one\ntwo").as_deref(), Some("one"));
        assert_eq!(
            first_error("info: a\nerror_handler\n*** ERROR: b\nerror: c").as_deref(),
            Some("*** ERROR: b")
        );
    }

    #[test]
    fn errors_are_read_to_the_end_but_not_kept() {
        let long = "x".repeat(200_000);
        assert_eq!(read_errors(long.as_bytes()).len() as u64, KEPT_ERRORS);
    }
}
