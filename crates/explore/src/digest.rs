//! Digests that outlive a process: of the game that a checkpoint belongs to, of the bytes of its files, and of what the processes
//! of a run have to agree on. They are BLAKE3, which is specified and will not change; what goes into each is preceded by its
//! purpose and the version of the format, so that no two purposes or versions have a digest in common.
//!
//! Hashes of states are another matter: see [`hash`](mod@crate::hash).

use std::fmt;

use serde::{Deserialize, Serialize};

/// The version of everything that is written to disk or sent to other processes. It goes up when a program could misread
/// what another version has written.
pub(crate) const FORMAT: u32 = 2;

/// A digest of 256 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Digest([u8; 32]);

impl Digest {
    /// The digest of some parts, for a purpose.
    pub(crate) fn of(purpose: &str, parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        // Every part goes in with its length, so that none can be taken for two.
        for part in [purpose.as_bytes(), &FORMAT.to_le_bytes()].iter().chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Digest(*hasher.finalize().as_bytes())
    }

    pub(crate) fn of_hasher(hasher: &blake3::Hasher) -> Self {
        Digest(*hasher.finalize().as_bytes())
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Self {
        Digest(bytes)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        blake3::Hash::from_bytes(self.0).fmt(f)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = blake3::HexError;

    fn try_from(text: String) -> Result<Self, blake3::HexError> {
        blake3::Hash::from_hex(text).map(|hash| Digest(*hash.as_bytes()))
    }
}

/// A game as one engine packs its states: what a checkpoint belongs to, and what the processes of a run must have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameId(Digest);

impl GameId {
    /// The game of a description, packed by an engine.
    pub fn new(description: &[u8], engine: &str) -> Self {
        GameId(Digest::of("game", &[description, engine.as_bytes()]))
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_tell_purposes_and_parts_apart_and_never_change() {
        let digest = Digest::of("game", &[b"ab", b"c"]);
        assert_ne!(digest, Digest::of("run", &[b"ab", b"c"]));
        assert_ne!(digest, Digest::of("game", &[b"a", b"bc"]));
        assert_ne!(digest, Digest::of("game", &[b"ab", b"c", b""]));
        assert_eq!(Digest::try_from(digest.to_string()).unwrap(), digest);
        // If this fails, checkpoints of released versions are not recognised any more: FORMAT has to go up.
        let known = "91e8665f0fa401cf952543c701d4e2e65815bb0dc5ff590fd85974cff32dfd40";
        assert_eq!(digest.to_string(), known);
    }
}
