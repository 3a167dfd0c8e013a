//! The questions a match asks, answered from the rules. The tables hold what follows from one state, and from
//! one joint move where there is one; asking about another state forgets all that is not static. A group of
//! relations is evaluated when it is first needed.

use groundrules_gdl::Game;
use groundrules_gdl::game::RelationId;
use groundrules_gdl::limits::Budget;
use groundrules_gdl::symbol::Symbols;

use crate::error::OracleError;
use crate::fixpoint::Model;
use crate::ground::{Ground, GroundTerms};
use crate::pattern::ground;
use crate::program::{Rule, lookups_of, rules_of};
use crate::steps::StepBudget;
use crate::strata::{Level, Strata};
use crate::table::{Row, Table};

/// A state: the fluents that hold, sorted by name, each once. Belongs to the oracle that gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    fluents: Vec<Ground>,
}

impl State {
    /// The fluents that hold.
    pub fn fluents(&self) -> &[Ground] {
        &self.fluents
    }
}

/// The evaluator of one game. Terms, states and moves belong to the oracle that gave them.
#[derive(Clone, Debug)]
pub struct Oracle {
    symbols: Symbols,
    terms: GroundTerms,
    names: Vec<String>,
    strata: Strata,
    rules: Vec<Rule>,
    tables: Vec<Table>,
    /// Which groups the tables are complete for.
    evaluated: Vec<bool>,
    /// What the tables are about.
    state: Option<State>,
    joint: Option<Vec<Ground>>,
    roles: Vec<Ground>,
    initial: State,
    steps: StepBudget,
}

/// What a match asks for. `base` and `input` are hints: a game plays the same without them.
const ASKED: [RelationId; 6] = [
    RelationId::ROLE,
    RelationId::INIT,
    RelationId::LEGAL,
    RelationId::NEXT,
    RelationId::GOAL,
    RelationId::TERMINAL,
];

impl Oracle {
    /// Takes over a game and evaluates its static relations. All that the oracle ever does is paid for from
    /// the budget, until it is [refilled](Oracle::refill).
    pub fn new(game: &Game, budget: Budget) -> Result<Oracle, OracleError> {
        let strata = Strata::of(game);
        let mut terms = GroundTerms::default();
        let rules = rules_of(game, &strata, &mut terms);
        let roles = game.roles().iter().map(|&role| ground(game, role, &mut terms)).collect();
        let mut oracle = Oracle {
            symbols: game.symbols().clone(),
            terms,
            names: game.relations().map(|(id, _)| game.relation_name(id).to_owned()).collect(),
            tables: lookups_of(game, &rules).into_iter().map(Table::new).collect(),
            evaluated: vec![false; strata.groups().len()],
            strata,
            rules,
            state: None,
            joint: None,
            roles,
            initial: State::default(),
            steps: StepBudget::new(budget),
        };
        for relation in ASKED {
            oracle.evaluate(relation, Level::Static)?;
        }
        oracle.add_roles_by_rules();
        let initial = oracle.first_arguments(RelationId::INIT);
        oracle.initial = oracle.sorted_state(initial);
        Ok(oracle)
    }

    /// The roles: those given by facts in the order of the text, then those given by rules, sorted.
    pub fn roles(&self) -> &[Ground] {
        &self.roles
    }

    /// The first state.
    pub fn initial_state(&self) -> State {
        self.initial.clone()
    }

    /// Whether the match is over.
    pub fn is_terminal(&mut self, state: &State) -> Result<bool, OracleError> {
        self.go_to(state, None);
        self.evaluate(RelationId::TERMINAL, Level::Moves)?;
        Ok(self.tables[RelationId::TERMINAL.index()].len() > 0)
    }

    /// The legal moves of each role, in the order of the roles, sorted.
    pub fn legal(&mut self, state: &State) -> Result<Vec<Vec<Ground>>, OracleError> {
        self.go_to(state, None);
        self.by_role(RelationId::LEGAL)
    }

    /// The goal values of each role, in the order of the roles, sorted. A sound game has one each in a
    /// terminal state; here there may be none or several.
    pub fn goals(&mut self, state: &State) -> Result<Vec<Vec<Ground>>, OracleError> {
        self.go_to(state, None);
        self.by_role(RelationId::GOAL)
    }

    /// The state after a joint move: one move for each role, in the order of the roles. Whether the moves are
    /// legal is not asked.
    pub fn next_state(&mut self, state: &State, joint: &[Ground]) -> Result<State, OracleError> {
        self.expect_joint_move(joint)?;
        self.go_to(state, Some(joint));
        self.evaluate(RelationId::NEXT, Level::Moves)?;
        let fluents = self.first_arguments(RelationId::NEXT);
        Ok(self.sorted_state(fluents))
    }

    /// The atoms of any relation that hold in a state, with or without moves made, as rows of arguments,
    /// sorted.
    pub fn atoms(
        &mut self,
        relation: RelationId,
        state: &State,
        joint: Option<&[Ground]>,
    ) -> Result<Vec<Vec<Ground>>, OracleError> {
        joint.map_or(Ok(()), |joint| self.expect_joint_move(joint))?;
        if relation.index() >= self.tables.len() {
            return Ok(Vec::new()); // a relation of another game
        }
        self.go_to(state, joint);
        self.evaluate(relation, Level::Moves)?;
        let mut rows: Vec<Vec<Ground>> =
            self.tables[relation.index()].rows().map(|row| row.to_vec()).collect();
        rows.sort_by(|left, right| {
            let mut orders = left.iter().zip(right).map(|(&l, &r)| self.terms.compare(l, r, &self.symbols));
            orders.find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        Ok(rows)
    }

    /// A term as KIF, each name as the description first spells it.
    pub fn kif(&self, term: Ground) -> Result<String, OracleError> {
        self.terms.write(term, &self.symbols)
    }

    /// The term that a text in KIF gives. All its names must be the description's; letter case does not
    /// matter.
    pub fn term(&mut self, text: &str) -> Result<Ground, OracleError> {
        let unknown = || OracleError::UnknownTerm { text: text.to_owned() };
        self.terms.read(text, &self.symbols).ok_or_else(unknown)
    }

    /// The state in which exactly these fluents hold.
    pub fn state_of(&self, fluents: &[Ground]) -> State {
        self.sorted_state(fluents.to_vec())
    }

    /// Goes on with another budget, whatever was left of the one before.
    pub fn refill(&mut self, budget: Budget) {
        self.steps.refill(budget);
    }

    /// How many steps were taken so far.
    pub fn steps_taken(&self) -> u64 {
        self.steps.spent()
    }

    fn expect_joint_move(&self, joint: &[Ground]) -> Result<(), OracleError> {
        let (roles, given) = (self.roles.len(), joint.len());
        if roles == given { Ok(()) } else { Err(OracleError::WrongJointMove { roles, given }) }
    }

    /// Makes the tables be about a state and the moves made there.
    fn go_to(&mut self, state: &State, joint: Option<&[Ground]>) {
        if self.state.as_ref() != Some(state) {
            self.forget(Level::State);
            self.state = Some(state.clone());
            self.joint = None;
            let rows = state.fluents.iter().map(|&fluent| Row::from([fluent]));
            rows.for_each(|row| self.tables[RelationId::TRUE.index()].insert(row, &self.terms));
        }
        if self.joint.as_deref() != joint {
            self.forget(Level::Moves);
            self.joint = joint.map(<[Ground]>::to_vec);
            let rows = self
                .roles
                .iter()
                .zip(joint.unwrap_or_default())
                .map(|(&role, &made)| Row::from([role, made]));
            rows.for_each(|row| self.tables[RelationId::DOES.index()].insert(row, &self.terms));
        }
    }

    /// Forgets what depends on at least so much.
    fn forget(&mut self, level: Level) {
        for (number, group) in self.strata.groups().iter().enumerate() {
            if group.level >= level {
                self.evaluated[number] = false;
                group.relations.iter().for_each(|&relation| self.tables[relation].clear());
            }
        }
    }

    /// Evaluates what a relation needs, as far as that depends on no more than the level.
    fn evaluate(&mut self, relation: RelationId, level: Level) -> Result<(), OracleError> {
        for number in self.strata.needed_for(relation.index()) {
            let group = &self.strata.groups()[number];
            if self.evaluated[number] || group.rules.is_empty() || group.level > level {
                continue;
            }
            let (tables, terms) = (&mut self.tables, &mut self.terms);
            let mut model = Model { tables, terms, symbols: &self.symbols, steps: &mut self.steps };
            model.evaluate(group, &self.rules, &self.names)?;
            self.evaluated[number] = true;
        }
        Ok(())
    }

    fn add_roles_by_rules(&mut self) {
        let by_rules = self.first_arguments(RelationId::ROLE);
        let by_rules: Vec<Ground> = by_rules.into_iter().filter(|role| !self.roles.contains(role)).collect();
        let sorted = self.sorted(by_rules);
        self.roles.extend(sorted);
    }

    fn first_arguments(&self, relation: RelationId) -> Vec<Ground> {
        self.tables[relation.index()].rows().filter_map(|row| row.first().copied()).collect()
    }

    fn by_role(&mut self, relation: RelationId) -> Result<Vec<Vec<Ground>>, OracleError> {
        self.evaluate(relation, Level::Moves)?;
        let mut answers = vec![Vec::new(); self.roles.len()];
        for row in self.tables[relation.index()].rows() {
            let role = row.first().and_then(|role| self.roles.iter().position(|other| other == role));
            if let (Some(role), Some(&term)) = (role, row.get(1)) {
                answers[role].push(term);
            }
        }
        Ok(answers.into_iter().map(|terms| self.sorted(terms)).collect())
    }

    fn sorted_state(&self, fluents: Vec<Ground>) -> State {
        let mut fluents = self.sorted(fluents);
        fluents.dedup();
        State { fluents }
    }

    fn sorted(&self, mut terms: Vec<Ground>) -> Vec<Ground> {
        terms.sort_by(|&left, &right| self.terms.compare(left, right, &self.symbols));
        terms
    }
}
