//! Makes the connections between the processes of a run: each listens at its own address, calls those before it and is
//! called by those after it. Both sides say who they are and what they explore, so that a process with another game, other
//! options or a wrong number is told so at once, and whoever else calls is sent away.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use super::Cluster;
use crate::error::ExploreError;

/// The first word of a greeting: name and version of what is spoken.
const GREETING: u64 = u64::from_be_bytes(*b"GRRULES1");

/// How long somebody who calls may take to say who it is.
const HESITATION: Duration = Duration::from_secs(2);

/// How long to wait before trying again.
const PAUSE: Duration = Duration::from_millis(20);

/// What processes tell each other: greeting, own number, how many processes, workers of each, digest.
type Card = [u64; 5];

/// A connection to each other process; nothing at this one's place.
pub(super) fn connect(cluster: &Cluster) -> Result<Vec<Option<TcpStream>>, ExploreError> {
    let deadline = Instant::now() + cluster.patience;
    let mine = cluster.process;
    let Some(address) = cluster.addresses.get(mine) else {
        return Err(ExploreError::Unsupported("there is no process of this number"));
    };
    let listener =
        TcpListener::bind(address).map_err(|cause| cluster.unreachable(mine, cause.to_string()))?;
    let nonblocking = listener.set_nonblocking(true);
    nonblocking.map_err(|cause| cluster.unreachable(mine, cause.to_string()))?;
    let mut sockets: Vec<Option<TcpStream>> = cluster.addresses.iter().map(|_| None).collect();
    for (other, socket) in sockets.iter_mut().enumerate().take(mine) {
        *socket = Some(call(cluster, other, deadline)?);
    }
    while let Some(missing) = (mine + 1..sockets.len()).find(|&other| sockets[other].is_none()) {
        match listener.accept() {
            Ok((stream, _)) => {
                if let Some((other, stream)) = answer(cluster, stream)? {
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
fn call(cluster: &Cluster, other: usize, deadline: Instant) -> Result<TcpStream, ExploreError> {
    let fails = |why: String| cluster.unreachable(other, why);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let why = match dial(&cluster.addresses[other], left) {
            Ok(mut stream) => {
                // It may be busy with others before it looks at this call.
                let card =
                    greet(cluster, &mut stream, left.max(PAUSE)).map_err(|cause| fails(cause.to_string()))?;
                check(cluster, &card).map_err(fails)?;
                if card[1] != other as u64 {
                    return Err(fails(format!("it says that it is process {}", card[1])));
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

/// Answers a call; nothing if it is nobody of this run. Who belongs to it but does something else is an error.
fn answer(cluster: &Cluster, mut stream: TcpStream) -> Result<Option<(usize, TcpStream)>, ExploreError> {
    let Ok(card) = stream.set_nonblocking(false).and_then(|()| greet(cluster, &mut stream, HESITATION))
    else {
        return Ok(None);
    };
    if card[0] != GREETING {
        return Ok(None);
    }
    let other = usize::try_from(card[1]).unwrap_or(usize::MAX);
    check(cluster, &card).map_err(|why| cluster.unreachable(other, why))?;
    if other <= cluster.process || other >= cluster.addresses.len() {
        return Err(cluster.unreachable(other, "it should not have called".to_owned()));
    }
    Ok(Some((other, stream)))
}

/// Says who this is and hears who the other is.
fn greet(cluster: &Cluster, stream: &mut TcpStream, patience: Duration) -> io::Result<Card> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    let card = card(cluster);
    stream.write_all(&card.map(u64::to_be_bytes).concat())?;
    let mut bytes = [0; size_of::<Card>()];
    stream.read_exact(&mut bytes)?;
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    let mut card = Card::default();
    for (word, bytes) in card.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_be_bytes(bytes.try_into().unwrap_or_default());
    }
    Ok(card)
}

fn card(cluster: &Cluster) -> Card {
    let (processes, threads) = (cluster.addresses.len() as u64, cluster.threads.get() as u64);
    [GREETING, cluster.process as u64, processes, threads, cluster.digest]
}

/// Whether another process does the same.
fn check(cluster: &Cluster, other: &Card) -> Result<(), String> {
    let own = card(cluster);
    match () {
        () if other[0] != GREETING => Err("it is no process of such a run".to_owned()),
        () if other[2] != own[2] => Err(format!("it expects {} processes", other[2])),
        () if other[3] != own[3] => Err(format!("it has {} threads, and all must have the same", other[3])),
        () if other[4] != own[4] => Err("it explores another game, or with other options".to_owned()),
        () => Ok(()),
    }
}
