//! The public traces driven through lanes of the engine `sliced`: every recorded state is looked at, and left by the recorded
//! move, in one lane, while the other lanes are busy with other states of the same game. Games whose grounding passes the
//! limits set here are counted, never taken for agreement.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use groundrules_gdl::trace::{Outcome, Plays, matches, replay};
use groundrules_gdl::{Options as ReadOptions, read};
use groundrules_ground::{GroundGame, Limits, Options as GroundOptions, ground};
use groundrules_machine::engines::sliced::{Options, batch};
use groundrules_machine::{Batch, MachineError, Move, Rows, State, Views};
use groundrules_net::{Network, simplify};
use groundrules_oracle::skip;

/// Letter case counts for the program that recorded these, and not for GDL.
const JUDGED: [&str; 2] = ["alexChess", "wargame03"];
/// Matches of a game that are replayed.
const MATCHES: usize = 2;

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

/// A lane that is asked in words, with the other lanes full of states that were seen before.
struct Lane {
    game: GroundGame,
    moves: HashMap<(usize, String), usize>,
    batch: Box<dyn Batch>,
    others: Vec<State>,
    asked: usize,
    views: Views,
    /// The lane whose view was taken last, and its state.
    seen: Option<(usize, State)>,
}

impl Lane {
    fn new(text: &[u8]) -> Option<Lane> {
        let game = read(text, &ReadOptions::default()).game?;
        let mut limits = Limits::default().within(Duration::from_secs(3));
        (limits.rules, limits.atoms) = (20_000, 100_000);
        let game = ground(&game, &GroundOptions { limits, ..GroundOptions::default() }).ok()?;
        let (network, _) = simplify(&Network::of(&game).ok()?, &groundrules_net::Options::default());
        let roles = game.roles.iter().map(|&role| game.term(role)).collect();
        let batch = batch(&network, roles, &Options::default()).ok()?;
        let name = |(number, &(role, term)): (usize, &(usize, _))| {
            ((role, game.term(term).to_ascii_lowercase()), number)
        };
        let moves = game.moves.iter().enumerate().map(name).collect();
        let others = vec![batch.initial(); 100];
        Some(Lane { game, moves, batch, others, asked: 0, views: Views::default(), seen: None })
    }

    /// Puts a state into a lane among the others; gives the lane.
    fn place(&mut self, state: &State) -> usize {
        self.asked += 1;
        let lane = self.asked * 37 % self.others.len();
        self.others[lane].clone_from(state);
        lane
    }

    fn rows(&self) -> Rows {
        Rows::of_rows(self.batch.row_width(), self.others.iter().map(State::words))
    }

    fn look(&mut self, state: &State) -> Result<usize, MachineError> {
        if let Some((lane, seen)) = &self.seen
            && seen == state
        {
            return Ok(*lane);
        }
        let lane = self.place(state);
        self.batch.look(&self.rows(), &mut self.views)?;
        self.seen = Some((lane, state.clone()));
        Ok(lane)
    }
}

impl Plays for Lane {
    type State = State;
    type Error = MachineError;

    fn roles(&mut self) -> Result<Vec<String>, MachineError> {
        Ok(self.batch.roles().to_vec())
    }

    fn initial_state(&mut self) -> Result<State, MachineError> {
        Ok(self.batch.initial())
    }

    fn fluents(&mut self, state: &State) -> Result<Vec<String>, MachineError> {
        let holds = |fluent: &usize| state.words()[fluent / 64] >> (fluent % 64) & 1 == 1;
        let fluents = (0..self.game.fluents.len()).filter(holds);
        Ok(fluents.map(|fluent| self.game.term(self.game.fluents[fluent])).collect())
    }

    fn is_terminal(&mut self, state: &State) -> Result<bool, MachineError> {
        let lane = self.look(state)?;
        Ok(self.views.is_terminal(lane))
    }

    fn legal(&mut self, state: &State) -> Result<Vec<Vec<String>>, MachineError> {
        let lane = self.look(state)?;
        let text = |made: &Move| self.game.term(self.game.moves[made.0 as usize].1);
        let of_role = |role| self.views.legal(lane, role).iter().map(text).collect();
        Ok((0..self.game.roles.len()).map(of_role).collect())
    }

    fn goals(&mut self, state: &State) -> Result<Vec<Vec<String>>, MachineError> {
        let lane = self.look(state)?;
        let of_role = |role| self.views.goals(lane, role).iter().map(i32::to_string).collect();
        Ok((0..self.game.roles.len()).map(of_role).collect())
    }

    fn next_state(&mut self, state: &State, joint: &[String]) -> Result<State, MachineError> {
        let lane = self.place(state);
        self.seen = None;
        // The others make whatever is legal, or stay where nothing is.
        let rows = self.rows();
        self.batch.look(&rows, &mut self.views)?;
        let roles = self.game.roles.len();
        let (mut from, mut joints): (Vec<u32>, Vec<Move>) = (Vec::new(), Vec::new());
        for other in (0..rows.len()).filter(|&other| other != lane) {
            let choose = |role| {
                let legal = self.views.legal(other, role);
                legal.get(self.asked % legal.len().max(1)).copied()
            };
            if let Some(joint) = (0..roles).map(choose).collect::<Option<Vec<Move>>>() {
                from.push(u32::try_from(other).unwrap());
                joints.extend(joint);
            }
        }
        // Ours stands in the middle, so that it is not always the first or the last lane.
        let place = from.len() / 2;
        from.insert(place, u32::try_from(lane).unwrap());
        let mut own = Vec::new();
        for (role, text) in joint.iter().enumerate() {
            let number = self.moves.get(&(role, text.to_ascii_lowercase())).copied();
            own.push(Move(u32::try_from(number.expect("the replay checks that the move is legal")).unwrap()));
        }
        joints.splice(place * roles..place * roles, own);
        let mut next = Rows::new(self.batch.row_width());
        self.batch.advance(&rows, &from, &joints, &mut next)?;
        for (&other, row) in from.iter().zip(next.iter()) {
            if !self.views.is_terminal(other as usize) {
                self.others[other as usize].set(row);
            }
        }
        Ok(State::of(next.row(place)))
    }
}

/// Replays some matches of a game; gives the number of states, or the first difference.
fn replay_some(path: &Path, lane: &mut Lane) -> Result<usize, String> {
    let mut states = 0;
    for recorded in matches(File::open(path).unwrap()).take(MATCHES) {
        let result = replay(lane, &recorded.unwrap());
        states += result.states;
        match result.outcome {
            Outcome::Same => {}
            Outcome::Differs(difference) => return Err(difference.to_string()),
            Outcome::Stopped(error) => return Err(error.to_string()),
        }
    }
    Ok(states)
}

#[test]
fn the_traces_are_played_as_the_reference_did() {
    let folder = shared().join("traces");
    let Ok(entries) = fs::read_dir(&folder) else {
        return skip(format_args!("there are no traces in {}", folder.display()));
    };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "gz"));
    paths.sort();
    let (mut same, mut states, mut too_large, mut differences) = (0, 0, Vec::new(), Vec::new());
    for path in &paths {
        let name = path.file_name().unwrap().to_string_lossy().replace(".jsonl.gz", "");
        let text = fs::read(shared().join("games").join(format!("{name}.kif"))).unwrap();
        let Some(mut lane) = Lane::new(&text) else {
            too_large.push(name);
            continue;
        };
        match replay_some(path, &mut lane) {
            Ok(seen) => (same, states) = (same + 1, states + seen),
            Err(_) if JUDGED.contains(&name.as_str()) => {}
            Err(words) => differences.push(format!("{name}: {words}")),
        }
    }
    println!("{same} of {} games agree, {states} states; too large: {too_large:?}", paths.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(same * 100 >= paths.len() * 75, "only {same} of {} are compared", paths.len());
}
