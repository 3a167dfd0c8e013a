//! The server: the page's files, the WebSocket and the match files, each for those that the guard admits.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, Path, Request, State, WebSocketUpgrade};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::guard::Guard;
use crate::{files, matches, sessions};

/// The most connections of pages at a time; a page has two, and a third while it verifies.
const MOST_SESSIONS: usize = 24;

/// How the studio is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen.
    pub address: SocketAddr,
    /// The folder with match files to watch.
    pub matches: Option<PathBuf>,
}

/// A server that has its port.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    guard: Guard,
    matches: Option<PathBuf>,
    sessions: Arc<Semaphore>,
}

impl Server {
    /// Takes the port.
    pub async fn bind(options: Options) -> io::Result<Server> {
        let listener = TcpListener::bind(options.address).await?;
        let address = listener.local_addr()?;
        let port = address.port();
        let mut hosts = vec![
            address.to_string(),
            format!("localhost:{port}"),
            format!("127.0.0.1:{port}"),
            format!("[::1]:{port}"),
        ];
        hosts.dedup();
        let shared = Shared {
            guard: Guard::new(hosts),
            matches: options.matches,
            sessions: Arc::new(Semaphore::new(MOST_SESSIONS)),
        };
        Ok(Server { listener, address, shared: Arc::new(shared) })
    }

    /// The address of the page, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.shared.guard.token())
    }

    /// Serves until a future is done.
    pub async fn run(self, ended: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        let router = Router::new()
            .route("/engine", get(engine))
            .route("/matches", get(list))
            .route("/matches/{*file}", get(read))
            .fallback(get(file))
            .with_state(self.shared);
        axum::serve(self.listener, router).with_graceful_shutdown(ended).await
    }
}

type OfServer = State<Arc<Shared>>;

fn refused(status: StatusCode) -> Response {
    (status, status.canonical_reason().unwrap_or_default()).into_response()
}

/// A file of the page.
async fn file(State(shared): OfServer, headers: HeaderMap, request: Request) -> Response {
    if !shared.guard.admits(&headers) {
        return refused(StatusCode::FORBIDDEN);
    }
    let Some(file) = files::find(request.uri().path().trim_start_matches('/')) else {
        return refused(StatusCode::NOT_FOUND);
    };
    let mut response = Response::new(Body::from(file.packed));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.content_type()));
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    response
}

/// Native engines.
async fn engine(State(shared): OfServer, request: Request) -> Response {
    let pairs = request.uri().query().unwrap_or_default().split('&');
    let mut tokens = pairs.filter_map(|pair| pair.strip_prefix("token="));
    let is_known = tokens.next().is_some_and(|token| shared.guard.knows(token));
    // Browsers always send an origin with a WebSocket.
    if !is_known || !shared.guard.admits(request.headers()) {
        return refused(StatusCode::FORBIDDEN);
    }
    let Ok(permit) = Arc::clone(&shared.sessions).try_acquire_owned() else {
        return refused(StatusCode::SERVICE_UNAVAILABLE);
    };
    let (mut parts, _) = request.into_parts();
    match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
        Ok(upgrade) => upgrade
            .max_message_size(sessions::MOST_BYTES)
            .max_frame_size(sessions::MOST_BYTES)
            .on_upgrade(move |socket| sessions::serve(socket, permit)),
        Err(rejection) => rejection.into_response(),
    }
}

/// Whether a request for files of the folder is admitted.
fn may_read(shared: &Shared, headers: &HeaderMap) -> bool {
    let token = headers.get("x-studio-token").and_then(|token| token.to_str().ok());
    shared.guard.admits(headers) && token.is_some_and(|token| shared.guard.knows(token))
}

/// The match files.
async fn list(State(shared): OfServer, headers: HeaderMap) -> Response {
    if !may_read(&shared, &headers) {
        return refused(StatusCode::FORBIDDEN);
    }
    let Some(folder) = shared.matches.clone() else { return json(&Vec::<matches::Listed>::new()) };
    match tokio::task::spawn_blocking(move || matches::list(&folder)).await {
        Ok(Ok(files)) => json(&files),
        _ => refused(StatusCode::NOT_FOUND),
    }
}

/// A match file.
async fn read(State(shared): OfServer, headers: HeaderMap, Path(file): Path<String>) -> Response {
    if !may_read(&shared, &headers) {
        return refused(StatusCode::FORBIDDEN);
    }
    let Some(folder) = shared.matches.clone() else { return refused(StatusCode::NOT_FOUND) };
    match tokio::task::spawn_blocking(move || matches::read(&folder, &file)).await {
        Ok(Ok(text)) => ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response(),
        _ => refused(StatusCode::NOT_FOUND),
    }
}

fn json(value: &impl serde::Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(text) => ([(header::CONTENT_TYPE, "application/json")], text).into_response(),
        Err(_) => refused(StatusCode::INTERNAL_SERVER_ERROR),
    }
}
