//! Who may ask. The server listens on this computer only, but every page in a browser here could send requests to it: so the `Host` must
//! be ours (a name that somebody points to this address is not), an `Origin`, where there is one, must be our own page, and who wants
//! engines or files must know the token in the address that was printed.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use axum::http::{HeaderMap, header};

/// What is checked of a request.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    token: String,
    /// `host:port` as browsers write it.
    hosts: Vec<String>,
}

impl Guard {
    /// A guard for a server at some addresses, with a new token.
    pub(crate) fn new(hosts: Vec<String>) -> Self {
        // The keys of each hasher are random numbers of the system.
        let part = || RandomState::new().build_hasher().finish();
        Guard { token: format!("{:016x}{:016x}", part(), part()), hosts }
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Whether a request is for this server and from its own page, as far as the browser tells.
    pub(crate) fn admits(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(header::HOST)
            .is_some_and(|host| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host)));
        let origin = text(header::ORIGIN).is_none_or(|origin| {
            origin
                .strip_prefix("http://")
                .is_some_and(|host| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host)))
        });
        host && origin && (headers.get(header::ORIGIN).is_none() || text(header::ORIGIN).is_some())
    }

    /// Whether a token is ours; the time that this takes does not tell how much of it is right.
    pub(crate) fn knows(&self, token: &str) -> bool {
        token.len() == self.token.len()
            && token.bytes().zip(self.token.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_are_turned_away() {
        let guard = Guard::new(vec!["127.0.0.1:80".into(), "localhost:80".into()]);
        let with = |host: &str, origin: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().unwrap());
            origin
                .into_iter()
                .for_each(|origin| drop(headers.insert(header::ORIGIN, origin.parse().unwrap())));
            guard.admits(&headers)
        };
        assert!(with("localhost:80", None) && with("LocalHost:80", Some("http://127.0.0.1:80")));
        assert!(!with("evil.example", None) && !with("localhost:80", Some("http://evil.example")));
        assert!(!with("localhost:80", Some("null")) && !with("localhost:81", None));
        assert!(!guard.admits(&HeaderMap::new()));
        let other = Guard::new(Vec::new());
        assert!(
            guard.knows(guard.token())
                && !guard.knows(other.token())
                && !guard.knows("")
                && guard.token().len() == 32
        );
    }
}
