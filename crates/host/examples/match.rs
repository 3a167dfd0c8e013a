//! Runs a match of the game manager between two players of this program and prints what happened:
//!
//! ```sh
//! cargo run --release -p groundrules-host --example match
//! ```

use groundrules_host::Choice;
use groundrules_host::manager::{Match, MatchPlan, Player, Who};
use groundrules_search::Settings;

/// Two players take one or two from a heap in turn; whoever takes the last one wins.
const NIM: &str = "(role left) (role right) (init (heap 7)) (init (turn left))
    (minus 7 1 6) (minus 6 1 5) (minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0)
    (<= (minus ?x 2 ?z) (minus ?x 1 ?y) (minus ?y 1 ?z))
    (<= (legal ?r (take ?n)) (true (turn ?r)) (true (heap ?x)) (minus ?x ?n ?y))
    (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
    (<= (next (heap ?y)) (does ?r (take ?n)) (true (heap ?x)) (minus ?x ?n ?y))
    (<= (next (turn right)) (true (turn left))) (<= (next (turn left)) (true (turn right)))
    (<= terminal (true (heap 0)))
    (<= (goal ?r 0) (true (turn ?r)) (true (heap 0)))
    (<= (goal ?r 100) (role ?r) (not (true (turn ?r))) (true (heap 0)))
    (<= (goal ?r 50) (role ?r) (not (true (heap 0))))";

fn player(name: &str) -> Result<Player, String> {
    let choice = Choice::named(name, Settings::default()).ok_or_else(|| format!("no player {name}"))?;
    Ok(Player { name: name.to_owned(), word: name.to_owned(), who: Who::Local(choice) })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plan = MatchPlan {
        id: "example.1".to_owned(),
        game: "nim".to_owned(),
        rules: NIM.as_bytes().to_vec(),
        players: vec![player("mcts")?, player("random")?],
        start_clock: 1.0,
        play_clock: 1.0,
        scramble: false,
        seed: 1,
    };
    let path = std::env::temp_dir().join(format!("groundrules-example-{}.jsonl", std::process::id()));
    let goals = tokio::runtime::Runtime::new()?.block_on(async {
        let mut begun = Match::begin(plan, &path)?;
        begun.play(&mut |_| ()).await
    })?;
    println!("goals: {goals:?}; the match file is {}", path.display());
    Ok(())
}
