//! A connection to another process whose loss is recorded instead of raised. Timely's network threads panic when a read or a
//! write fails; a process that ends is no fault of this one, so its connection never fails as timely sees it: reads block for
//! good, writes are discarded, and the workers find the loss recorded in [`Connections`].
//!
//! Timely ends a connection by a header without a payload, followed by the end of the stream. To tell that from a
//! loss, the frames that come in are followed: a stream may end after such a header only.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use timely::communication::allocator::zero_copy::stream::Stream;

/// Bytes of the header of a frame: six numbers, of which the fifth is the length of the payload.
const HEADER: usize = 6 * size_of::<u64>();

/// Where the length of the payload stands in a header.
const LENGTH: std::ops::Range<usize> = 4 * size_of::<u64>()..5 * size_of::<u64>();

/// What is known of the connections of a run.
#[derive(Debug, Default)]
pub(super) struct Connections {
    state: Mutex<ConnectionState>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default)]
struct ConnectionState {
    /// The process whose connection broke first.
    lost: Option<usize>,
    /// Whether all workers of this process are through: what breaks from then on is no loss.
    closing: bool,
}

impl Connections {
    /// The process whose connection broke first.
    pub(super) fn lost(&self) -> Option<usize> {
        self.get().lost
    }

    /// From now on no other process is needed.
    pub(super) fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closing = true;
        self.changed.notify_all();
    }

    fn get(&self) -> ConnectionState {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection broke.
    fn broke(&self, process: usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.closing {
            state.lost.get_or_insert(process);
        }
    }

    /// Waits until no other process is needed; after a loss that never comes.
    fn wait_until_closing(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !state.closing {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A connection to another process.
#[derive(Debug)]
pub(super) struct WatchedStream {
    stream: TcpStream,
    process: usize,
    connections: Arc<Connections>,
    frames: Frames,
}

impl WatchedStream {
    pub(super) fn new(stream: TcpStream, process: usize, connections: Arc<Connections>) -> Self {
        WatchedStream { stream, process, connections, frames: Frames::new() }
    }
}

impl Read for WatchedStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.frames.ended {
            return Ok(0);
        }
        let read = loop {
            match self.stream.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read.unwrap_or(0),
            }
        };
        if read > 0 {
            self.frames.follow(&buffer[..read]);
            return Ok(read);
        }
        self.connections.broke(self.process);
        self.connections.wait_until_closing();
        // Nobody reads the frame that was cut off any more; zeros complete it, and are the last header.
        let missing = self.frames.missing().min(buffer.len());
        buffer[..missing].fill(0);
        self.frames.follow(&buffer[..missing]);
        Ok(missing)
    }
}

impl Write for WatchedStream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self.stream.write(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Ok(written) if written > 0 => Ok(written),
            _ => {
                self.connections.broke(self.process);
                Ok(buffer.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for WatchedStream {
    fn try_clone(&self) -> io::Result<Self> {
        let stream = self.stream.try_clone()?;
        Ok(WatchedStream::new(stream, self.process, Arc::clone(&self.connections)))
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The other side may be gone by now.
        if self.stream.shutdown(how).is_err() {
            self.connections.broke(self.process);
        }
        Ok(())
    }
}

/// Where in timely's frames a stream is.
#[derive(Debug)]
struct Frames {
    header: [u8; HEADER],
    /// Bytes of the header that are known.
    known: usize,
    /// Bytes of the payload that are to come.
    payload: u64,
    /// Whether the last header has come.
    ended: bool,
}

impl Frames {
    fn new() -> Self {
        Frames { header: [0; HEADER], known: 0, payload: 0, ended: false }
    }

    fn follow(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.ended {
            if self.payload > 0 {
                let skipped = usize::try_from(self.payload).map_or(bytes.len(), |left| left.min(bytes.len()));
                self.payload -= skipped as u64;
                bytes = &bytes[skipped..];
                continue;
            }
            let taken = bytes.len().min(HEADER - self.known);
            self.header[self.known..self.known + taken].copy_from_slice(&bytes[..taken]);
            self.known += taken;
            bytes = &bytes[taken..];
            if self.known == HEADER {
                self.known = 0;
                let length = self.header[LENGTH].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
                (self.payload, self.ended) = (length, length == 0);
            }
        }
    }

    /// How many bytes complete what is under way.
    fn missing(&self) -> usize {
        match self.payload {
            0 => HEADER - self.known,
            left => usize::try_from(left).unwrap_or(usize::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn header(length: u64) -> Vec<u8> {
        [7, 0, 0, 1, length, 0].map(u64::to_be_bytes).concat()
    }

    /// What a stream reads when the other side sends some bytes and ends.
    fn read_all(bytes: &[u8]) -> (Vec<u8>, Option<usize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut other = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        other.write_all(bytes).unwrap();
        drop(other);
        let connections = Arc::new(Connections::default());
        let mut stream = WatchedStream::new(listener.accept().unwrap().0, 3, Arc::clone(&connections));
        let reader = std::thread::spawn(move || {
            let mut all = Vec::new();
            stream.read_to_end(&mut all).unwrap();
            all
        });
        while !reader.is_finished() && connections.lost().is_none() {
            std::thread::yield_now();
        }
        let lost = connections.lost();
        connections.close();
        (reader.join().unwrap(), lost)
    }

    #[test]
    fn an_announced_end_is_no_loss() {
        let sent = [header(3), vec![1, 2, 3], header(0)].concat();
        assert_eq!(read_all(&sent), (sent, None));
    }

    #[test]
    fn any_other_end_is_a_loss_and_reads_as_an_announced_end() {
        let frame = [header(300), vec![9; 300]].concat();
        for cut in [0, 1, HEADER - 1, HEADER, HEADER + 1, frame.len() - 1, frame.len()] {
            let (read, lost) = read_all(&frame[..cut]);
            assert_eq!(lost, Some(3), "{cut}");
            let mut frames = Frames::new();
            frames.follow(&read);
            assert!(frames.ended && read.starts_with(&frame[..cut]), "{cut}");
        }
    }
}
