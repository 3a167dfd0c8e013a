//! Connects the processes of a run: each listens at its own address, connects to those before it and accepts those
//! after it. Both sides send a handshake with their identity and what they explore. A process with another game, other
//! options or a wrong number gets an error at once; every other peer is rejected.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use super::Cluster;
use crate::digest::Digest;
use crate::error::ExploreError;

/// The first bytes that processes exchange: the name of the protocol and, as a last character, its version.
const GREETING: &[u8; 8] = b"GRRULES2";

/// How long somebody who calls may take to say who it is.
const HESITATION: Duration = Duration::from_secs(2);

/// How long to wait before trying again.
const PAUSE: Duration = Duration::from_millis(20);

/// What processes tell each other after the greeting: own number, how many processes, workers of each, and the digest of
/// what is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Card {
    process: u64,
    processes: u64,
    threads: u64,
    digest: Digest,
}

impl Card {
    const BYTES: usize = 3 * size_of::<u64>() + size_of::<Digest>();

    fn new(cluster: &Cluster, threads: NonZeroUsize, digest: Digest) -> Self {
        let (processes, threads) = (cluster.addresses.len() as u64, threads.get() as u64);
        Card { process: cluster.process as u64, processes, threads, digest }
    }

    fn to_bytes(self) -> Vec<u8> {
        let mut bytes = [self.process, self.processes, self.threads].map(u64::to_be_bytes).concat();
        bytes.extend_from_slice(self.digest.as_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let (words, digest) = bytes.split_at(3 * size_of::<u64>());
        let word =
            |place: usize| words[place * 8..][..8].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        let digest = Digest::from_bytes(digest.try_into().expect("the rest of the card is a digest"));
        Card { process: word(0), processes: word(1), threads: word(2), digest }
    }

    /// Whether another process takes part in the same run.
    fn check(self, other: Card) -> Result<(), String> {
        match () {
            () if other.processes != self.processes => {
                Err(format!("it expects {} processes", other.processes))
            }
            () if other.threads != self.threads => {
                Err(format!("it has {} threads, and all must have the same", other.threads))
            }
            () if other.digest != self.digest => {
                Err("it explores another game, or with other options".to_owned())
            }
            () => Ok(()),
        }
    }
}

/// What came of greeting another process.
enum Greeted {
    /// It takes part in such a run.
    Card(Card),
    /// It speaks another version of the protocol.
    OtherVersion(char),
    /// It speaks something else.
    Stranger,
}

impl Greeted {
    /// Its card, or why it cannot take part.
    fn card(self) -> Result<Card, String> {
        match self {
            Greeted::Card(card) => Ok(card),
            Greeted::OtherVersion(found) => {
                let expected = char::from(GREETING[7]);
                Err(format!("it speaks version {found} of the protocol, and this program version {expected}"))
            }
            Greeted::Stranger => Err("the peer is not a process of this run".to_owned()),
        }
    }
}

/// A connection to each other process; nothing at this one's place.
pub(super) fn connect(
    cluster: &Cluster,
    threads: NonZeroUsize,
    digest: Digest,
) -> Result<Vec<Option<TcpStream>>, ExploreError> {
    let card = Card::new(cluster, threads, digest);
    let deadline = Instant::now() + cluster.patience;
    let mine = cluster.process;
    let Some(address) = cluster.addresses.get(mine) else {
        return Err(ExploreError::NoSuchProcess { process: mine, processes: cluster.addresses.len() });
    };
    let listener =
        TcpListener::bind(address).map_err(|cause| cluster.unreachable(mine, cause.to_string()))?;
    let nonblocking = listener.set_nonblocking(true);
    nonblocking.map_err(|cause| cluster.unreachable(mine, cause.to_string()))?;
    let mut sockets: Vec<Option<TcpStream>> = cluster.addresses.iter().map(|_| None).collect();
    for (other, socket) in sockets.iter_mut().enumerate().take(mine) {
        *socket = Some(call(cluster, card, other, deadline)?);
    }
    while let Some(missing) = (mine + 1..sockets.len()).find(|&other| sockets[other].is_none()) {
        match listener.accept() {
            Ok((stream, _)) => {
                if let Some((other, stream)) = answer(cluster, card, stream)? {
                    sockets[other] = Some(stream);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if Instant::now() >= deadline {
                    return Err(cluster.unreachable(missing, "it did not call in time".to_owned()));
                }
                std::thread::sleep(PAUSE);
            }
            Err(cause) => return Err(cluster.unreachable(mine, cause.to_string())),
        }
    }
    Ok(sockets)
}

/// Calls a process until it answers.
fn call(cluster: &Cluster, own: Card, other: usize, deadline: Instant) -> Result<TcpStream, ExploreError> {
    let fails = |why: String| cluster.unreachable(other, why);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let why = match dial(&cluster.addresses[other], left) {
            Ok(stream) => {
                // It may be busy with others before it looks at this call.
                let greeted = greet(own, &stream, left.max(PAUSE));
                let card = greeted.map_err(|cause| fails(cause.to_string()))?.card().map_err(fails)?;
                own.check(card).map_err(fails)?;
                if card.process != other as u64 {
                    return Err(fails(format!("it says that it is process {}", card.process)));
                }
                return Ok(stream);
            }
            Err(cause) => cause.to_string(),
        };
        if Instant::now() + PAUSE >= deadline {
            return Err(fails(why));
        }
        std::thread::sleep(PAUSE);
    }
}

fn dial(address: &str, left: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the address has no host");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, left.max(PAUSE)) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Answers a call; `None` if it is nobody of such a run. A process of such a run that does not belong to this one is an
/// error.
fn answer(
    cluster: &Cluster,
    own: Card,
    stream: TcpStream,
) -> Result<Option<(usize, TcpStream)>, ExploreError> {
    let refused = |why: String| {
        let caller =
            stream.peer_addr().map_or_else(|_| "an unknown address".to_owned(), |from| from.to_string());
        ExploreError::Refused { caller, why }
    };
    let greeted = match stream.set_nonblocking(false).and_then(|()| greet(own, &stream, HESITATION)) {
        Ok(Greeted::Stranger) | Err(_) => return Ok(None),
        Ok(greeted) => greeted,
    };
    let card = greeted.card().map_err(refused)?;
    let later = cluster.process + 1..cluster.addresses.len();
    let other = usize::try_from(card.process).ok().filter(|other| later.contains(other));
    let checked = own.check(card);
    let other = match (checked, other) {
        (Ok(()), Some(other)) => other,
        (Ok(()), None) => return Err(refused(format!("it says that it is process {}", card.process))),
        (Err(why), Some(other)) => return Err(cluster.unreachable(other, why)),
        (Err(why), None) => return Err(refused(why)),
    };
    Ok(Some((other, stream)))
}

/// Exchanges greetings and cards with another process.
fn greet(own: Card, mut stream: &TcpStream, patience: Duration) -> io::Result<Greeted> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    stream.write_all(GREETING)?;
    stream.write_all(&own.to_bytes())?;
    let mut greeting = [0; GREETING.len()];
    stream.read_exact(&mut greeting)?;
    if greeting != *GREETING {
        let (name, version) = greeting.split_at(GREETING.len() - 1);
        let is_other_version = name == &GREETING[..name.len()];
        let version = char::from(version[0]);
        return Ok(if is_other_version { Greeted::OtherVersion(version) } else { Greeted::Stranger });
    }
    let mut bytes = [0; Card::BYTES];
    stream.read_exact(&mut bytes)?;
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    Ok(Greeted::Card(Card::from_bytes(&bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::GameId;

    fn cluster() -> (Cluster, Card) {
        let game = GameId::new(b"a game", "an engine");
        let addresses = vec!["127.0.0.1:1".to_owned(), "127.0.0.1:2".to_owned()];
        let cluster = Cluster { addresses, process: 0, game, patience: Duration::ZERO };
        let card = Card::new(&cluster, NonZeroUsize::MIN, Digest::of("test", &[b"a run"]));
        (cluster, card)
    }

    /// What comes of a call that begins with some bytes.
    fn called_with(bytes: &[u8]) -> Result<Option<usize>, String> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut caller = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        caller.write_all(bytes).unwrap();
        let (cluster, card) = cluster();
        let answered = answer(&cluster, card, listener.accept().unwrap().0);
        answered.map(|found| found.map(|(process, _)| process)).map_err(|error| error.to_string())
    }

    #[test]
    fn callers_are_told_apart() {
        let card = Card { process: 1, ..cluster().1 };
        let call = |card: Card| [&GREETING[..], &card.to_bytes()].concat();
        assert_eq!(called_with(&call(card)), Ok(Some(1)));
        assert_eq!(called_with(b"GET / HTTP/1.1\r\n\r\n"), Ok(None));
        let old = called_with(&[&b"GRRULES1"[..], &[0; 32]].concat()).unwrap_err();
        assert!(old.contains("speaks version 1 of the protocol, and this program version 2"), "{old}");
        let other =
            called_with(&call(Card { digest: Digest::of("test", &[b"another"]), ..card })).unwrap_err();
        assert!(other.contains("process 1 at 127.0.0.1:2: it explores another game"), "{other}");
        let wrong = called_with(&call(Card { process: u64::MAX, ..card })).unwrap_err();
        assert!(wrong.contains(&format!("it says that it is process {}", u64::MAX)), "{wrong}");
    }
}
