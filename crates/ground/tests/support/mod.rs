//! A ground game behind the questions of a match, for the tests.

use std::collections::HashMap;
use std::convert::Infallible;

use groundrules_ground::GroundGame;
use groundrules_ground::evaluator::{Evaluator, NotStratified, View};
use groundrules_oracle::Plays;

/// A ground game behind the questions of a match.
pub(crate) struct Player<'g> {
    /// The game.
    pub(crate) game: &'g GroundGame,
    /// What answers.
    pub(crate) evaluator: Evaluator<'g>,
    /// The moves by role and lower-case name.
    moves: HashMap<(usize, String), usize>,
    /// What was seen last, and in which state.
    seen: Option<(Vec<usize>, View)>,
}

impl<'g> Player<'g> {
    /// Makes a game ready to be asked.
    pub(crate) fn new(game: &'g GroundGame) -> Result<Self, NotStratified> {
        let evaluator = Evaluator::new(game)?;
        let named = |(number, &(role, term)): (usize, &(usize, _))| {
            ((role, game.term(term).to_ascii_lowercase()), number)
        };
        let moves = game.moves.iter().enumerate().map(named).collect();
        Ok(Player { game, evaluator, moves, seen: None })
    }
}

impl Player<'_> {
    fn view(&mut self, state: &Vec<usize>) -> &View {
        if self.seen.as_ref().is_none_or(|(known, _)| known != state) {
            self.seen = None;
        }
        &self.seen.get_or_insert_with(|| (state.clone(), self.evaluator.view(state))).1
    }

    fn by_role<T>(&self, items: impl Iterator<Item = (usize, T)>) -> Vec<Vec<T>> {
        let mut lists: Vec<Vec<T>> = self.game.roles.iter().map(|_| Vec::new()).collect();
        items.for_each(|(role, item)| lists[role].push(item));
        lists
    }
}

impl Plays for Player<'_> {
    type State = Vec<usize>;
    type Error = Infallible;

    fn roles(&mut self) -> Result<Vec<String>, Infallible> {
        Ok(self.game.roles.iter().map(|&role| self.game.term(role)).collect())
    }

    fn initial_state(&mut self) -> Result<Vec<usize>, Infallible> {
        Ok(self.game.init.clone())
    }

    fn fluents(&mut self, state: &Vec<usize>) -> Result<Vec<String>, Infallible> {
        Ok(state.iter().map(|&fluent| self.game.term(self.game.fluents[fluent])).collect())
    }

    fn is_terminal(&mut self, state: &Vec<usize>) -> Result<bool, Infallible> {
        Ok(self.view(state).is_terminal)
    }

    fn legal(&mut self, state: &Vec<usize>) -> Result<Vec<Vec<String>>, Infallible> {
        let legal = self.view(state).legal.clone().into_iter().map(|number| self.game.moves[number]);
        Ok(self.by_role(legal.map(|(role, term)| (role, self.game.term(term)))))
    }

    fn goals(&mut self, state: &Vec<usize>) -> Result<Vec<Vec<String>>, Infallible> {
        let goals = self.view(state).goals.clone().into_iter();
        let role = |term| self.game.roles.iter().position(|&role| role == term);
        Ok(self.by_role(goals.filter_map(|(of, value)| Some((role(of)?, self.game.term(value))))))
    }

    fn next_state(&mut self, state: &Vec<usize>, joint: &[String]) -> Result<Vec<usize>, Infallible> {
        let made =
            |(role, name): (usize, &String)| self.moves.get(&(role, name.to_ascii_lowercase())).copied();
        let moves: Vec<usize> = joint.iter().enumerate().filter_map(made).collect();
        Ok(self.evaluator.next(state, &moves))
    }
}
