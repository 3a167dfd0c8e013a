//! Games from the cache play as games that are set up anew: all of the library, through both engines that run the network.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use groundrules::cache::Cache;
use groundrules::gdl::time::Cancel;
use groundrules::machine::Tally;
use groundrules::machine::compiled::{Settings, Shelf};
use groundrules::machine::engines::auto::Budget;
use groundrules::machine::engines::{Engine, EngineError};
use groundrules::machine::run::{Options, Until, run};
use groundrules::{Compiled, Source, library, load, load_source};

/// A shelf that keeps everything, however little time it took, and counts.
#[derive(Debug)]
struct Counting {
    cache: Cache,
    found: AtomicUsize,
    kept: AtomicUsize,
}

impl Counting {
    fn at(folder: &Path) -> Arc<Self> {
        let cache = Cache::at(folder);
        Arc::new(Counting { cache, found: AtomicUsize::new(0), kept: AtomicUsize::new(0) })
    }

    fn found(&self) -> usize {
        self.found.load(Ordering::Relaxed)
    }

    fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }
}

impl Shelf for Counting {
    fn find(&self, name: &[u8]) -> Option<Vec<u8>> {
        let found = self.cache.find(name);
        self.found.fetch_add(usize::from(found.is_some()), Ordering::Relaxed);
        found
    }

    fn keep(&self, name: &[u8], content: &[u8]) {
        self.kept.fetch_add(1, Ordering::Relaxed);
        self.cache.keep(name, content);
    }

    fn is_worth_keeping(&self, _took: Duration) -> bool {
        true
    }
}

fn settings(shelf: Option<&Arc<Counting>>, engine: Engine) -> Settings {
    let shelf = shelf.map(|shelf| Arc::clone(shelf) as Arc<dyn Shelf>);
    Settings { engine, shelf, ..Settings::default() }
}

fn tally(game: &Compiled) -> Result<Tally, EngineError> {
    let options = Options {
        until: Until::Playouts(16),
        seed: 3,
        threads: NonZeroUsize::MIN,
        max_steps: 50,
        cancel: Cancel::new(),
    };
    let playouts = game.playouts()?;
    Ok(run(&*playouts, &options, &mut |_| ControlFlow::Continue(())).expect("playouts").tally)
}

/// The random playouts of a game, or why it has none.
fn play(id: &'static str, engine: Engine, shelf: Option<&Arc<Counting>>) -> Result<Tally, String> {
    let loaded = load_source(&Source::Library(id)).expect("a game");
    tally(&loaded.compile_with(settings(shelf, engine))).map_err(|error| error.to_string())
}

#[test]
fn the_library_plays_the_same_from_the_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut from_cache = 0;
    for engine in [Engine::Net, Engine::Sliced] {
        for game in library::games() {
            let anew = play(game.id, engine, None);
            let (first, second) = (Counting::at(folder.path()), Counting::at(folder.path()));
            assert_eq!(play(game.id, engine, Some(&first)), anew, "{}: what is kept disturbs", game.id);
            assert_eq!(play(game.id, engine, Some(&second)), anew, "{} from the cache", game.id);
            if anew.is_ok() {
                // The ground game and the network.
                assert_eq!((second.found(), second.kept()), (2, 0), "{}", game.id);
                from_cache += 1;
            }
        }
    }
    assert!(from_cache > 40, "{from_cache}");
}

#[test]
fn the_ground_game_from_the_cache_is_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    for game in library::games() {
        let ground = |shelf: &Arc<Counting>| {
            let loaded = load_source(&Source::Library(game.id)).expect("a game");
            loaded.compile_with(settings(Some(shelf), Engine::Net)).ground()
        };
        let (first, second) = (Counting::at(folder.path()), Counting::at(folder.path()));
        let (Ok(made), Ok(read)) = (ground(&first), ground(&second)) else { continue };
        assert_eq!(second.found(), 1, "{}", game.id);
        assert_eq!(made.to_kif(), read.to_kif(), "{}", game.id);
        assert_eq!(made.made_by_rule, read.made_by_rule, "{}", game.id);
        assert_eq!((&made.roles, &made.init), (&read.roles, &read.init), "{}", game.id);
    }
}

#[test]
fn limits_are_the_same_with_the_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let shelf = Counting::at(folder.path());
    let load = || load("reversi").expect("a game");
    let network = load().compile_with(settings(Some(&shelf), Engine::Net)).network().expect("a network");
    assert!(network.gate_count() > 0 && shelf.kept() > 0);
    let budget = Budget { rules: 100, ..Budget::default() };
    let small = |shelf| load().compile_with(Settings { budget, ..settings(shelf, Engine::Auto) }).decision();
    assert_eq!(small(Some(&shelf)), small(None));
    assert_eq!(small(Some(&shelf)).engine, Engine::Tree);
}

/// Gives what another game kept, whatever is asked for.
#[derive(Debug)]
struct Wrong {
    ground: Vec<u8>,
    network: Vec<u8>,
}

impl Shelf for Wrong {
    fn find(&self, name: &[u8]) -> Option<Vec<u8>> {
        Some(if name.ends_with(b"network") { self.network.clone() } else { self.ground.clone() })
    }

    fn keep(&self, _name: &[u8], _content: &[u8]) {}
}

#[test]
fn bytes_of_another_game_and_parts_of_them_are_refused() {
    let other = load("reversi").expect("a game").compile();
    let ground = other.ground().expect("it grounds").pack(other.game());
    let network = other.network().expect("a network").pack();
    let anew = tally(&load("tic-tac-toe").expect("a game").compile()).expect("playouts");
    for length in [usize::MAX, 1000, 100, 1, 0] {
        let part = |whole: &[u8]| whole[..length.min(whole.len())].to_vec();
        let wrong = Wrong { ground: part(&ground), network: part(&network) };
        let settings = Settings { shelf: Some(Arc::new(wrong)), ..Settings::default() };
        let game = load("tic-tac-toe").expect("a game").compile_with(settings);
        assert_eq!(tally(&game).expect("playouts"), anew, "{length} bytes");
    }
}
