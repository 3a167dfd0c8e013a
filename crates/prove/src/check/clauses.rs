//! Clauses from ground rules: each atom holds exactly if the body of one of its rules does.

use std::time::Duration;

use groundrules_ground::GroundGame;
use groundrules_ground::ground_game::{AtomKind, GroundLiteral};
use screwsat::solver::{Lit, Solver, Status};

/// Clauses. The first variable is true.
#[derive(Clone)]
pub(super) struct Cnf {
    clauses: Vec<Vec<Lit>>,
    variables: u32,
}

impl Default for Cnf {
    fn default() -> Self {
        Cnf { clauses: vec![vec![Lit::new(0, true)]], variables: 1 }
    }
}

impl Cnf {
    pub(super) fn constant(&self, value: bool) -> Lit {
        Lit::new(0, value)
    }

    pub(super) fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit::new(self.variables - 1, true)
    }

    pub(super) fn fresh_many(&mut self, count: usize) -> Vec<Lit> {
        (0..count).map(|_| self.fresh()).collect()
    }

    pub(super) fn clause(&mut self, mut clause: Vec<Lit>) {
        clause.sort_unstable();
        clause.dedup();
        if clause.windows(2).all(|pair| pair[0] != !pair[1]) {
            self.clauses.push(clause);
        }
    }

    pub(super) fn and(&mut self, operands: Vec<Lit>) -> Lit {
        if let [only] = operands[..] {
            return only;
        }
        let own = self.fresh();
        operands.iter().for_each(|&operand| self.clause(vec![!own, operand]));
        self.clause(operands.into_iter().map(|operand| !operand).chain([own]).collect());
        own
    }

    pub(super) fn or(&mut self, operands: Vec<Lit>) -> Lit {
        !self.and(operands.into_iter().map(|operand| !operand).collect())
    }

    /// Whether exactly one of some literals holds.
    pub(super) fn exactly_one(&mut self, literals: &[Lit]) -> Lit {
        let (mut one, mut two) = (self.constant(false), self.constant(false));
        for &literal in literals {
            let both = self.and(vec![one, literal]);
            two = self.or(vec![two, both]);
            one = self.or(vec![one, literal]);
        }
        self.and(vec![one, !two])
    }

    pub(super) fn is_satisfiable(&self, time: Duration) -> Option<bool> {
        if self.clauses.iter().any(Vec::is_empty) {
            return Some(false);
        }
        // Given to the constructor, a unit clause that another one repeats or contradicts breaks an invariant of the solver.
        let mut solver = Solver::new(self.variables as usize, &[]);
        self.clauses.iter().for_each(|clause| solver.add_clause(clause));
        match solver.solve(Some(time)) {
            Status::Sat => Some(true),
            Status::Unsat => Some(false),
            Status::Indeterminate => None,
        }
    }
}

pub(super) fn signed(lit: Lit, value: bool) -> Lit {
    if value { lit } else { !lit }
}

/// The rules of a ground game by head.
pub(super) struct Rules<'g> {
    pub(super) ground: &'g GroundGame,
    bodies: Vec<Vec<&'g [GroundLiteral]>>,
}

/// What says that each atom holds in a state.
pub(super) struct Frame {
    pub(super) atoms: Vec<Lit>,
}

impl<'g> Rules<'g> {
    pub(super) fn of(ground: &'g GroundGame) -> Self {
        let mut bodies = vec![Vec::new(); ground.atom_count()];
        ground.rules().for_each(|(head, body)| bodies[head.index()].push(body));
        Rules { ground, bodies }
    }

    pub(super) fn fluents(&self) -> usize {
        self.ground.fluents.len()
    }

    /// A state with a joint move: the fluents are given, the moves are free, all else follows by the rules.
    pub(super) fn frame(&self, cnf: &mut Cnf, fluents: &[Lit]) -> Frame {
        let leaves = self.fluents() + self.ground.moves.len();
        let count = self.ground.atom_count();
        let mut atoms = fluents.to_vec();
        atoms.extend(cnf.fresh_many(count - fluents.len()));
        for atom in leaves..count {
            let mut bodies = Vec::new();
            for body in &self.bodies[atom] {
                let literals =
                    body.iter().map(|literal| signed(atoms[literal.atom().index()], literal.is_positive()));
                let literals = literals.collect();
                bodies.push(cnf.and(literals));
            }
            bodies.iter().for_each(|&body| cnf.clause(vec![!body, atoms[atom]]));
            cnf.clause(bodies.into_iter().chain([!atoms[atom]]).collect());
        }
        Frame { atoms }
    }

    pub(super) fn atom(&self, frame: &Frame, kind: AtomKind) -> Lit {
        frame.atoms[self.ground.atom(kind).index()]
    }

    /// What says that the match is over.
    pub(super) fn terminal(&self, cnf: &Cnf, frame: &Frame) -> Lit {
        let is_it = |(name, arguments): &(String, Box<[_]>)| {
            name.eq_ignore_ascii_case("terminal") && arguments.is_empty()
        };
        match self.ground.derived.iter().position(is_it) {
            Some(number) => self.atom(frame, AtomKind::Derived(number)),
            None => cnf.constant(false),
        }
    }

    /// The goals of a role: values, and what says that the role has them.
    pub(super) fn goals(&self, frame: &Frame, role: usize) -> Vec<(i32, Lit)> {
        let mut goals = Vec::new();
        for (number, (name, arguments)) in self.ground.derived.iter().enumerate() {
            if name.eq_ignore_ascii_case("goal")
                && let [whose, value] = arguments[..]
                && whose == self.ground.roles[role]
                && let Ok(value) = self.ground.term(value).parse()
            {
                goals.push((value, self.atom(frame, AtomKind::Derived(number))));
            }
        }
        goals.sort_unstable_by_key(|goal| goal.0);
        goals
    }

    /// Each role makes exactly one move, a legal one, and the match is not over.
    pub(super) fn legal_moves(&self, cnf: &mut Cnf, frame: &Frame) -> Lit {
        let mut all = vec![!self.terminal(cnf, frame)];
        for role in 0..self.ground.roles.len() {
            let moves: Vec<usize> =
                (0..self.ground.moves.len()).filter(|&made| self.ground.moves[made].0 == role).collect();
            let does: Vec<Lit> = moves.iter().map(|&made| self.atom(frame, AtomKind::Does(made))).collect();
            all.push(cnf.exactly_one(&does));
            for made in moves {
                let (does, legal) =
                    (self.atom(frame, AtomKind::Does(made)), self.atom(frame, AtomKind::Legal(made)));
                all.push(cnf.or(vec![!does, legal]));
            }
        }
        cnf.and(all)
    }

    pub(super) fn add_legal_moves(&self, cnf: &mut Cnf, frame: &Frame) {
        let legal = self.legal_moves(cnf, frame);
        cnf.clause(vec![legal]);
    }
}
