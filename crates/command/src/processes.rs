//! Exploration with several processes. Those on this computer are started here; a file of addresses lists those on
//! other computers. All run the same command, and the first one prints the result.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, available_parallelism};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use groundrules_explore::{Cluster, GameId};
use tempfile::NamedTempFile;

/// The most processes that are started.
const MOST: usize = 256;

/// On how many processes a game is explored.
#[derive(clap::Args)]
pub struct Processes {
    /// Explore with this many processes on this computer.
    #[arg(long, value_name = "N", conflicts_with = "hosts")]
    processes: Option<usize>,
    /// Explore with processes on several computers: a file with their addresses, one host:port per line.
    #[arg(long, value_name = "FILE", requires = "process")]
    hosts: Option<PathBuf>,
    /// Which of the addresses belongs to this process, from 0; process 0 prints the results.
    #[arg(long, value_name = "K", requires = "hosts")]
    process: Option<usize>,
    /// How many seconds to wait for the other processes at the beginning.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    patience: f64,
}

impl Processes {
    /// So many processes on this computer.
    pub fn on_this_computer(count: usize) -> Self {
        Processes { processes: Some(count), hosts: None, process: None, patience: 60.0 }
    }

    /// The number of processes.
    pub fn count(&self) -> Result<usize> {
        Ok(self.addresses()?.map_or(self.processes.unwrap_or(1), |addresses| addresses.len()))
    }

    /// How many threads this process has when nothing is said.
    pub fn default_threads(&self) -> NonZeroUsize {
        let processors = available_parallelism().map_or(1, NonZeroUsize::get);
        let shared = processors / self.processes.unwrap_or(1).max(1);
        NonZeroUsize::new(shared).unwrap_or(NonZeroUsize::MIN)
    }

    /// Whether this process tells what was found.
    pub fn is_first(&self) -> bool {
        self.process.unwrap_or(0) == 0
    }

    /// How many computers' memory there is.
    pub fn computers(&self) -> Result<usize> {
        Ok(self.addresses()?.map_or(1, |addresses| addresses.len()))
    }

    /// Explores together with the other processes, which are started if they are to be on this computer. Without others
    /// there is no cluster.
    pub fn run<T, E: Into<anyhow::Error>>(
        &self,
        threads: NonZeroUsize,
        game: GameId,
        explore: impl FnOnce(Option<Cluster>) -> Result<T, E>,
    ) -> Result<T> {
        let patience = Duration::try_from_secs_f64(self.patience)
            .context("--patience is not a positive number of seconds")?;
        let cluster = |addresses, process| Some(Cluster { addresses, process, game, patience });
        if let Some(addresses) = self.addresses()? {
            let process = self.process.unwrap_or(0);
            if process >= addresses.len() {
                bail!("there is no process {process}: the file has {} addresses", addresses.len());
            }
            return explore(cluster(addresses, process)).map_err(Into::into);
        }
        match self.processes {
            None | Some(1) => explore(None).map_err(Into::into),
            Some(count) if (2..=MOST).contains(&count) => {
                let started = Started::new(count, threads)?;
                let found = explore(cluster(started.addresses.clone(), 0));
                started.wait(found.is_ok());
                found.map_err(Into::into)
            }
            Some(count) => bail!("--processes {count} is not between 1 and {MOST}"),
        }
    }

    fn addresses(&self) -> Result<Option<Vec<String>>> {
        let Some(file) = &self.hosts else { return Ok(None) };
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let addresses: Vec<String> = lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
        if addresses.is_empty() {
            bail!("{} has no address", file.display());
        }
        Ok(Some(addresses))
    }
}

/// The other processes on this computer.
struct Started {
    addresses: Vec<String>,
    others: Vec<Child>,
    /// The file of addresses, there as long as this is.
    hosts: NamedTempFile,
}

impl Started {
    /// Starts the same command once more for each other process.
    fn new(count: usize, threads: NonZeroUsize) -> Result<Self> {
        let addresses = free_addresses(count).context("cannot find free ports")?;
        let mut hosts = NamedTempFile::new().context("cannot write the addresses")?;
        hosts.write_all(addresses.join("\n").as_bytes()).context("cannot write the addresses")?;
        let program = std::env::current_exe().context("cannot find this program")?;
        let arguments = same_arguments(std::env::args_os().skip(1));
        let mut started = Started { addresses, others: Vec::new(), hosts };
        for process in 1..count {
            let child = started.start(&program, &arguments, process, threads);
            let mut child = child.context("cannot start another process")?;
            tell_errors(process, &mut child);
            started.others.push(child);
        }
        Ok(started)
    }

    fn start(
        &self,
        program: &Path,
        arguments: &[OsString],
        process: usize,
        threads: NonZeroUsize,
    ) -> std::io::Result<Child> {
        Command::new(program)
            .args(arguments)
            .arg("--hosts")
            .arg(self.hosts.path())
            .args(["--process", &process.to_string(), "--threads", &threads.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
    }

    /// Waits for the others to end, those that do not end soon after a failure are ended.
    fn wait(mut self, is_well: bool) {
        let patience = Instant::now() + Duration::from_secs(if is_well { 30 } else { 3 });
        for child in &mut self.others {
            while matches!(child.try_wait(), Ok(None)) && Instant::now() < patience {
                thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        for child in &mut self.others {
            // One that has ended already cannot be killed, and need not be.
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// What another process complains of is passed on, with its number.
fn tell_errors(process: usize, child: &mut Child) {
    let Some(errors) = child.stderr.take() else { return };
    thread::spawn(move || {
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            anstream::eprintln!("process {process}: {line}");
        }
    });
}

fn free_addresses(count: usize) -> std::io::Result<Vec<String>> {
    let listeners: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>()?;
    listeners.iter().map(|listener| Ok(listener.local_addr()?.to_string())).collect()
}

/// The arguments of this process without the number of processes and of threads.
fn same_arguments(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        match ["--processes", "--threads"].iter().find_map(|name| text.strip_prefix(name)) {
            Some("") => drop(arguments.next()),
            Some(rest) if rest.starts_with('=') => {}
            _ => kept.push(argument),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_processes_get_the_same_arguments() {
        let arguments =
            ["verify", "--processes", "3", "game.kif", "--threads=2", "--json", "--threads-of", "x"];
        let same = same_arguments(arguments.into_iter().map(OsString::from));
        assert_eq!(same, ["verify", "game.kif", "--json", "--threads-of", "x"]);
    }

    #[test]
    fn addresses_are_read_line_by_line() {
        let mut file = NamedTempFile::new().unwrap();
        file.write_all(b"# two computers\none:9000\n\n two:9000 # the other\n").unwrap();
        let processes = Processes {
            processes: None,
            hosts: Some(file.path().to_owned()),
            process: Some(1),
            patience: 1.0,
        };
        assert_eq!(processes.addresses().unwrap().unwrap(), ["one:9000", "two:9000"]);
        assert!(!processes.is_first());
    }
}
