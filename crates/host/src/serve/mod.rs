//! A player that serves: it listens on a port and plays the matches that hosts start. `connection` handles one request, `crowd` evicts
//! connections beyond the limit, `matches` plays and replies before deadlines.
//!
//! Invariant: malformed traffic cannot exhaust memory or connections beyond the [`Options`], or disturb running matches. Every request
//! that is read gets a reply of the protocol, and only messages that name a match and fit its state affect it.

mod connection;
mod crowd;
mod matches;

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use groundrules_machine::compiled::Shelf;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

use crate::allowance::Choice;
use crate::margin;
use crate::wire::{Limits, Pool};
use crowd::Crowd;
use matches::Matches;

/// How a player serves.
#[derive(Clone)]
pub struct Options {
    /// The player.
    pub choice: Choice,
    /// The name that it gives hosts.
    pub name: String,
    /// The most matches at a time.
    pub matches: usize,
    /// The bytes, about, that all matches may use together.
    pub memory: usize,
    /// The least time between an answer and its deadline.
    pub margin: Duration,
    /// The most connections at a time; beyond, the longest that has not yet asked anything is dropped.
    pub connections: usize,
    /// What one request may use.
    pub request: Limits,
    /// The addresses that may connect; all if there are none.
    pub allow: Vec<IpAddr>,
    /// Where games are kept that were set up before, if they are.
    pub shelf: Option<Arc<dyn Shelf>>,
}

impl Options {
    /// The usual options for a player.
    pub fn new(choice: Choice) -> Self {
        Options {
            name: format!("groundrules-{}", choice.kind.name),
            choice,
            matches: 4,
            memory: 4 << 30,
            margin: margin::LEAST,
            connections: 512,
            request: Limits::default(),
            allow: Vec::new(),
            shelf: None,
        }
    }
}

/// The memory that large messages share.
const BODIES: usize = 64 << 20;

/// A server with its port taken.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// What all connections know.
struct Shared {
    matches: Arc<Matches>,
    crowd: Crowd,
    pool: Pool,
    request: Limits,
    allow: Vec<IpAddr>,
}

impl Shared {
    /// Whether an address may connect. One of the old kind may come as one of the new.
    fn allows(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.allow.is_empty() || self.allow.iter().any(|allowed| allowed.to_canonical() == address)
    }
}

impl Server {
    /// Takes the port.
    pub async fn bind(address: SocketAddr, options: Options) -> std::io::Result<Server> {
        let listener = TcpListener::bind(address).await?;
        let (crowd, request, allow) =
            (Crowd::new(options.connections), options.request, options.allow.clone());
        let matches = Arc::new(Matches::new(options));
        let shared = Shared { matches, crowd, pool: Pool::new(BODIES), request, allow };
        Ok(Server { listener, shared: Arc::new(shared) })
    }

    /// The address that was taken.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until told to stop. Matches that are going on then are left.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        let mut sweep = tokio::time::interval(SWEEP);
        loop {
            tokio::select! {
                () = &mut stop => break,
                _ = sweep.tick() => self.shared.matches.sweep(),
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, from)) => self.welcome(stream, from),
                    // Usually too many open files: some will be closed soon.
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        sleep(Duration::from_millis(20)).await;
                    }
                }
            }
        }
        self.shared.matches.leave_all();
    }

    fn welcome(&self, stream: TcpStream, from: SocketAddr) {
        if !self.shared.allows(from.ip()) {
            tracing::info!(%from, "refused: the address is not allowed");
            return;
        }
        let (shared, accepted) = (self.shared.clone(), Instant::now());
        self.shared.crowd.admit(|place| async move {
            connection::serve(stream, from, accepted, &shared, place).await;
        });
    }
}

/// How often matches are looked for whose host has gone.
const SWEEP: Duration = Duration::from_secs(1);
