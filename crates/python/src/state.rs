//! One state at a time, with the methods that OpenSpiel gives its states.

use std::sync::Arc;

use groundrules::board::TextStyle;
use groundrules::machine::lockstep::turn;
use groundrules::machine::{Move, State as Packed};
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::game::Game;
use crate::shared::{SharedGame, View, view};

/// How a state is pickled: the function that restores it, and the arguments of the call.
type Pickled<'py> = (Bound<'py, PyAny>, (Game, Bound<'py, PyBytes>));

/// A state of a game. `game.new_initial_state()` makes the first one.
#[pyclass(module = "groundrules")]
#[derive(Clone)]
pub(crate) struct State {
    game: SharedGame,
    packed: Packed,
    view: Arc<View>,
    /// The joint moves that led here, each as the actions of all roles.
    history: Vec<Vec<usize>>,
    /// What each role has seen of these moves, where information is hidden: a line for each move, with its own move first.
    seen: Vec<Arc<Vec<String>>>,
    /// The fluents of the state in which the history begins, if it is not the initial one.
    begin: Option<Vec<String>>,
}

impl State {
    pub(crate) fn initial(game: SharedGame) -> PyResult<Self> {
        let (packed, view) = game.ask(|machine| {
            machine.reset();
            let mut packed = Packed::default();
            machine.save(&mut packed);
            Ok((packed, view(machine)?))
        })?;
        Ok(State::new(game, packed, view, None))
    }

    /// The state in which these fluents hold, with no moves before it.
    pub(crate) fn of_fluents(game: SharedGame, fluents: &[String]) -> PyResult<Self> {
        let names = game.layout()?.names();
        let mut packed = Packed::default();
        packed.words_mut().resize(names.fluents().div_ceil(64).max(1), 0);
        for text in fluents {
            let fluent = names
                .find_fluent(text)
                .ok_or_else(|| PyValueError::new_err(format!("{text} is no fluent of {}", game.name)))?;
            packed.words_mut()[fluent.0 as usize / 64] |= 1 << (fluent.0 % 64);
        }
        let seen = game.ask(|machine| {
            machine.enter(&packed);
            view(machine)
        })?;
        Ok(State::new(game, packed, seen, Some(fluents.to_vec())))
    }

    fn new(game: SharedGame, packed: Packed, view: View, begin: Option<Vec<String>>) -> Self {
        State { game, packed, view: Arc::new(view), history: Vec::new(), seen: Vec::new(), begin }
    }

    /// What each role perceives of a joint move that is made here, if information is hidden.
    fn perceived(&self, joint: &[Move]) -> PyResult<Option<Vec<String>>> {
        let Some(percepts) = self.game.percepts()? else { return Ok(None) };
        let before = self.fluents_text()?;
        let texts: Vec<String> =
            self.game.ask(|machine| Ok(joint.iter().map(|&made| machine.move_text(made)).collect()))?;
        let line = |role: usize| {
            let own = std::iter::once(texts[role].clone());
            own.chain(percepts.of(role, &before, &texts)).collect::<Vec<_>>().join(" ")
        };
        Ok(Some((0..texts.len()).map(line).collect()))
    }

    /// What a player knows: all fluents, or what it has done and perceived where information is hidden.
    fn known(&self, player: Option<usize>) -> PyResult<Vec<String>> {
        player.map_or(Ok(()), |role| self.check_role(role))?;
        if !self.game.is_hidden() {
            return self.fluents_text();
        }
        let role = self.player(player)?;
        Ok(self.seen.iter().map(|lines| lines[role].clone()).collect())
    }

    fn check_role(&self, role: usize) -> PyResult<()> {
        let roles = self.view.legal.len();
        if role < roles {
            return Ok(());
        }
        Err(PyIndexError::new_err(format!("there is no player {role}: this game has {roles}")))
    }

    /// The player that a method is about: the one that is given, else the one that has the turn.
    fn player(&self, player: Option<usize>) -> PyResult<usize> {
        let role = match (player, self.game.turn(&self.view)) {
            (Some(role), _) => role,
            (None, code) if code == i32::from(turn::CHANCE) => self.chance().unwrap_or(0),
            (None, code) => usize::try_from(code).map_err(|_| {
                PyValueError::new_err("no single player has the turn: say which player is meant")
            })?,
        };
        self.check_role(role)?;
        Ok(role)
    }

    fn chance(&self) -> Option<usize> {
        self.game.compiled.roles().nature()
    }

    fn legal_move(&self, role: usize, action: usize) -> PyResult<Move> {
        if self.view.terminal {
            return Err(PyRuntimeError::new_err("the match is over"));
        }
        let legal = &self.view.legal[role];
        let made = self.game.move_of(role, action).filter(|made| legal.contains(made));
        made.ok_or_else(|| {
            let name = &self.game.compiled.roles()[role];
            let text = self.action_text(role, action).unwrap_or_else(|_| "no move at all".to_owned());
            PyValueError::new_err(format!("action {action}, {text}, of {name} is not legal here"))
        })
    }

    fn action_text(&self, role: usize, action: usize) -> PyResult<String> {
        let made = match self.game.layout() {
            Ok(_) => self.game.move_of(role, action),
            // Only moves that were met have names there.
            Err(_) => self.game.move_of(role, action).filter(|made| self.view.legal[role].contains(made)),
        };
        let made = made.ok_or_else(|| {
            let name = &self.game.compiled.roles()[role];
            PyIndexError::new_err(format!("{action} is no action of {name}"))
        })?;
        self.game.ask(|machine| Ok(machine.move_text(made)))
    }

    fn make(&mut self, joint: &[Move]) -> PyResult<()> {
        let perceived = self.perceived(joint)?;
        let (packed, seen) = self.game.ask(|machine| {
            machine.enter(&self.packed);
            machine.advance(joint)?;
            let mut packed = Packed::default();
            machine.save(&mut packed);
            Ok((packed, view(machine)?))
        })?;
        let actions = joint.iter().enumerate().map(|(role, &made)| self.game.action(role, made));
        self.history.push(actions.collect());
        self.seen.extend(perceived.map(Arc::new));
        (self.packed, self.view) = (packed, Arc::new(seen));
        Ok(())
    }

    fn goal(&self, role: usize) -> f64 {
        if let [goal] = self.view.goals[role][..] { goal.into() } else { f64::NAN }
    }

    fn fluents_text(&self) -> PyResult<Vec<String>> {
        self.game.ask(|machine| {
            machine.enter(&self.packed);
            Ok(machine.fluents())
        })
    }
}

#[pymethods]
impl State {
    /// The game.
    fn get_game(&self) -> Game {
        Game { shared: Arc::clone(&self.game) }
    }

    /// The player that has the turn; -1 for chance, -2 where several choose at once, -4 at the end.
    fn current_player(&self) -> i32 {
        self.game.turn(&self.view)
    }

    /// Whether the match is over.
    fn is_terminal(&self) -> bool {
        self.view.terminal
    }

    /// Whether chance has the turn.
    fn is_chance_node(&self) -> bool {
        self.game.turn(&self.view) == i32::from(turn::CHANCE)
    }

    /// Whether several players choose at once.
    fn is_simultaneous_node(&self) -> bool {
        self.game.turn(&self.view) == i32::from(turn::SIMULTANEOUS)
    }

    /// The legal actions of a player, ascending; by default of the one that has the turn.
    #[pyo3(signature = (player=None))]
    fn legal_actions(&self, player: Option<usize>) -> PyResult<Vec<usize>> {
        if self.view.terminal {
            return Ok(Vec::new());
        }
        let role = self.player(player)?;
        Ok(self.view.legal[role].iter().map(|&made| self.game.action(role, made)).collect())
    }

    /// A byte for each action of a player: 1 where it is legal.
    #[pyo3(signature = (player=None))]
    fn legal_actions_mask<'py>(
        &self,
        py: Python<'py>,
        player: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let layout = self.game.layout()?;
        let mut mask = vec![0; layout.most_actions()];
        if !self.view.terminal {
            let role = self.player(player)?;
            self.view.legal[role].iter().for_each(|&made| mask[self.game.action(role, made)] = 1);
        }
        Ok(PyArray1::from_vec(py, mask))
    }

    /// Actions of chance with their probabilities.
    fn chance_outcomes(&self) -> PyResult<Vec<(usize, f64)>> {
        if !self.is_chance_node() {
            return Err(PyValueError::new_err("it is not chance's turn"));
        }
        let actions = self.legal_actions(None)?;
        let probability = 1.0 / actions.len() as f64;
        Ok(actions.into_iter().map(|action| (action, probability)).collect())
    }

    /// Makes the move of the player that has the turn. The others make the one move that they have.
    fn apply_action(&mut self, action: usize) -> PyResult<()> {
        if self.view.terminal {
            return Err(PyRuntimeError::new_err("the match is over"));
        }
        let role = self.player(None)?;
        let chosen = self.legal_move(role, action)?;
        let mut joint = Vec::new();
        for (other, legal) in self.view.legal.iter().enumerate() {
            let only = if other == role { Some(chosen) } else { legal.first().copied() };
            joint.push(only.ok_or_else(|| {
                let name = &self.game.compiled.roles()[other];
                PyRuntimeError::new_err(format!("{name} has no legal move here"))
            })?);
        }
        self.make(&joint)
    }

    /// Makes a joint move: an action of each player.
    fn apply_actions(&mut self, actions: Vec<usize>) -> PyResult<()> {
        let roles = self.view.legal.len();
        if actions.len() != roles {
            let text = format!("there are {roles} players, and {} actions were given", actions.len());
            return Err(PyValueError::new_err(text));
        }
        let joint: PyResult<Vec<Move>> =
            actions.iter().enumerate().map(|(role, &action)| self.legal_move(role, action)).collect();
        self.make(&joint?)
    }

    /// The state after an action of the player that has the turn.
    fn child(&self, action: usize) -> PyResult<State> {
        let mut child = self.clone();
        child.apply_action(action)?;
        Ok(child)
    }

    /// A copy.
    #[pyo3(name = "clone")]
    fn copied(&self) -> State {
        self.clone()
    }

    fn __copy__(&self) -> State {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> State {
        self.clone()
    }

    /// What each player gets: its goal at the end, 0 before. NaN where it does not have exactly one goal.
    fn returns(&self) -> Vec<f64> {
        let goal = |role| if self.view.terminal { self.goal(role) } else { 0.0 };
        (0..self.view.legal.len()).map(goal).collect()
    }

    /// The same as `returns`: all that there is to get comes at the end.
    fn rewards(&self) -> Vec<f64> {
        self.returns()
    }

    /// The goals that the rules give each player here, whether the match is over or not.
    fn goals(&self) -> Vec<Vec<i32>> {
        self.view.goals.clone()
    }

    /// The fluents that hold, as KIF, sorted.
    #[getter]
    fn fluents(&self) -> PyResult<Vec<String>> {
        self.fluents_text()
    }

    /// A number for each fluent of the game, 1 where it holds. Where information is hidden, no player sees them all, and this
    /// is an error for a player that is named.
    #[pyo3(signature = (player=None))]
    fn observation_tensor<'py>(
        &self,
        py: Python<'py>,
        player: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        player.map_or(Ok(()), |role| self.check_role(role))?;
        if player.is_some() && self.game.is_hidden() {
            return Err(PyValueError::new_err(
                "information is hidden in this game: information_state_string tells what a player knows",
            ));
        }
        let fluents = self.game.layout()?.fluents();
        let words = self.packed.words();
        let holds = |fluent: usize| words.get(fluent / 64).is_some_and(|word| word >> (fluent % 64) & 1 == 1);
        Ok(PyArray1::from_iter(py, (0..fluents).map(|fluent| f32::from(u8::from(holds(fluent))))))
    }

    /// The same as `observation_tensor`: a state has everything that matters.
    #[pyo3(signature = (player=None))]
    fn information_state_tensor<'py>(
        &self,
        py: Python<'py>,
        player: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        self.observation_tensor(py, player)
    }

    /// What a player knows, by default the one that has the turn: the fluents that hold, in one text. Where information is
    /// hidden, all its moves, each with what it perceived then.
    #[pyo3(signature = (player=None))]
    fn information_state_string(&self, player: Option<usize>) -> PyResult<String> {
        let separator = if self.game.is_hidden() { " / " } else { " " };
        Ok(self.known(player)?.join(separator))
    }

    /// The same as `information_state_string`; where information is hidden, of the last move alone.
    #[pyo3(signature = (player=None))]
    fn observation_string(&self, player: Option<usize>) -> PyResult<String> {
        if !self.game.is_hidden() {
            return self.information_state_string(player);
        }
        Ok(self.known(player)?.pop().unwrap_or_default())
    }

    /// An action as KIF.
    #[pyo3(signature = (player_or_action, action=None))]
    fn action_to_string(&self, player_or_action: i64, action: Option<usize>) -> PyResult<String> {
        let given = usize::try_from(player_or_action);
        let (role, action) = match action {
            Some(action) if player_or_action == i64::from(turn::CHANCE) => {
                (self.chance().ok_or_else(|| PyIndexError::new_err("this game has no chance"))?, action)
            }
            Some(action) => (given.map_err(|_| no_player(player_or_action))?, action),
            None => (self.player(None)?, given.map_err(|_| no_player(player_or_action))?),
        };
        self.check_role(role)?;
        self.action_text(role, action)
    }

    /// The action that a text in KIF gives.
    #[pyo3(signature = (player_or_text, text=None))]
    fn string_to_action(&self, player_or_text: &Bound<'_, PyAny>, text: Option<&str>) -> PyResult<usize> {
        let (role, text) = match text {
            Some(text) => (player_or_text.extract::<usize>()?, text.to_owned()),
            None => (self.player(None)?, player_or_text.extract::<String>()?),
        };
        self.check_role(role)?;
        let made = self.game.ask(|machine| Ok(machine.find_move(role, &text)))?;
        let made = made.ok_or_else(|| {
            PyValueError::new_err(format!("{text} is no move of {}", self.game.compiled.roles()[role]))
        })?;
        Ok(self.game.action(role, made))
    }

    /// The joint moves that led here, each as the actions of all players.
    fn full_history(&self) -> Vec<Vec<usize>> {
        self.history.clone()
    }

    /// How many joint moves led here.
    fn move_number(&self) -> usize {
        self.history.len()
    }

    /// How many players there are.
    fn num_players(&self) -> usize {
        self.view.legal.len()
    }

    /// The state as bytes, which `State.deserialize` takes.
    fn serialize<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let texts = self
            .history
            .iter()
            .map(|joint| joint.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
        let begin = self.begin.as_ref().map(|fluents| format!("from {}", fluents.join("\t")));
        let text = begin.into_iter().chain(texts).collect::<Vec<_>>().join("\n");
        Ok(PyBytes::new(py, text.as_bytes()))
    }

    /// The state that `serialize` wrote, found by making its moves again.
    #[classmethod]
    fn deserialize(_class: &Bound<'_, PyType>, game: &Bound<'_, Game>, bytes: &[u8]) -> PyResult<State> {
        let wrong = || PyValueError::new_err("these bytes are no state");
        let text = std::str::from_utf8(bytes).map_err(|_| wrong())?;
        let mut state = State::initial(Arc::clone(&game.get().shared))?;
        for (number, line) in text.lines().enumerate() {
            if let (0, Some(fluents)) = (number, line.strip_prefix("from ")) {
                let fluents: Vec<String> = fluents.split_terminator('\t').map(str::to_owned).collect();
                state = State::of_fluents(Arc::clone(&game.get().shared), &fluents)?;
                continue;
            }
            let actions: Result<Vec<usize>, _> = line.split_ascii_whitespace().map(str::parse).collect();
            state.apply_actions(actions.map_err(|_| wrong())?)?;
        }
        Ok(state)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        let restore = py.get_type::<State>().getattr("deserialize")?;
        Ok((restore, (self.get_game(), self.serialize(py)?)))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<State>().is_ok_and(|other| {
            let other = other.borrow();
            Arc::ptr_eq(&self.game, &other.game) && self.packed == other.packed
        })
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.packed.hash(&mut hasher);
        hasher.finish()
    }

    /// The state as a picture: boards, hands and counters, as the rest of the project draws them.
    fn svg(&self) -> PyResult<String> {
        Ok(self.game.picture().picture(&self.fluents_text()?, None).svg())
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg()
    }

    /// The state as text, boards drawn as boards.
    fn __str__(&self) -> PyResult<String> {
        Ok(self.game.picture().picture(&self.fluents_text()?, None).text(&TextStyle::default()))
    }

    fn __repr__(&self) -> String {
        format!("<State of {} after {} joint moves>", self.game.name, self.history.len())
    }
}

fn no_player(number: i64) -> PyErr {
    PyIndexError::new_err(format!("there is no player or action {number}"))
}
