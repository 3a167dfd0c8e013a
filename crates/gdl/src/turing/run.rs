//! A run of the machine itself, step by step, to hold the game against. The tape is kept just as the game
//! keeps it: two lists that only ever lose a symbol to the head and gain one from it. Blanks at the ends are
//! added when the head gets there and are never trimmed, so at every step the fluents here are the fluents of
//! the game, letter by letter.

use std::fmt;

use super::machine::{Machine, Shift, StateId, SymbolId, Transition};

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The machine halted in its accepting state: the game is won.
    Accepted,
    /// The machine halted in its rejecting state: the game is lost.
    Rejected,
    /// The machine has not halted yet.
    Running,
}

/// A running machine. As an iterator it makes a step each time and gives the move made, until the machine
/// halts; [`Run::configuration`] shows where that led. A step takes constant time, spread over the run.
#[derive(Clone, Debug)]
pub struct Run<'m> {
    machine: &'m Machine,
    state: StateId,
    /// Left of the head; the nearest symbol last.
    left: Vec<SymbolId>,
    head: SymbolId,
    /// Right of the head; the nearest symbol last.
    right: Vec<SymbolId>,
    steps: u64,
}

impl<'m> Run<'m> {
    pub(super) fn new(machine: &'m Machine) -> Self {
        let (head, right) = match machine.input.split_first() {
            Some((&head, rest)) => (head, rest.iter().rev().copied().collect()),
            None => (machine.blank, Vec::new()),
        };
        Run { machine, state: machine.start, left: Vec::new(), head, right, steps: 0 }
    }

    /// Where the machine is now.
    pub fn configuration(&self) -> Configuration<'_> {
        Configuration {
            machine: self.machine,
            state: self.machine.state(self.state),
            left: &self.left,
            head: self.machine.symbol(self.head),
            right: &self.right,
        }
    }

    /// The move that the machine makes next, which is the only legal one in the game; none once it has
    /// halted.
    pub fn upcoming(&self) -> Option<Move<'m>> {
        self.transition().map(|transition| Move::of(self.machine, transition))
    }

    fn transition(&self) -> Option<Transition> {
        self.machine.transition(self.state, self.head)
    }

    /// Makes steps until the machine halts or `most` steps have been made. A machine can write a symbol a
    /// step, so a run of many steps may take much memory.
    pub fn run_for(&mut self, most: u64) -> Outcome {
        for _ in 0..most {
            if self.next().is_none() {
                break;
            }
        }
        self.outcome()
    }

    /// How the run stands.
    pub fn outcome(&self) -> Outcome {
        match self.state {
            state if state == self.machine.accepting() => Outcome::Accepted,
            state if state == self.machine.rejecting() => Outcome::Rejected,
            _ => Outcome::Running,
        }
    }

    /// How many steps have been made.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

impl<'m> Iterator for Run<'m> {
    type Item = Move<'m>;

    fn next(&mut self) -> Option<Move<'m>> {
        let transition = self.transition()?;
        let (behind, ahead) = match transition.shift {
            Shift::Left => (&mut self.right, &mut self.left),
            Shift::Right => (&mut self.left, &mut self.right),
        };
        behind.push(transition.write);
        self.head = ahead.pop().unwrap_or(self.machine.blank);
        self.state = transition.next;
        self.steps += 1;
        Some(Move::of(self.machine, transition))
    }
}

/// A moment of a run: the state and the tape, which is infinite, but blank beyond the two lists.
#[derive(Clone, Copy, Debug)]
pub struct Configuration<'r> {
    machine: &'r Machine,
    state: &'r str,
    left: &'r [SymbolId],
    head: &'r str,
    right: &'r [SymbolId],
}

impl<'r> Configuration<'r> {
    /// The state.
    pub fn state(&self) -> &'r str {
        self.state
    }

    /// The symbols left of the head that the game knows of, the nearest first.
    pub fn left(&self) -> impl ExactSizeIterator<Item = &'r str> + use<'r> {
        let machine = self.machine;
        self.left.iter().rev().map(|&symbol| machine.symbol(symbol))
    }

    /// The symbol under the head.
    pub fn head(&self) -> &'r str {
        self.head
    }

    /// The symbols right of the head that the game knows of, the nearest first.
    pub fn right(&self) -> impl ExactSizeIterator<Item = &'r str> + use<'r> {
        let machine = self.machine;
        self.right.iter().rev().map(|&symbol| machine.symbol(symbol))
    }

    /// The whole tape from left to right.
    pub fn tape(&self) -> impl Iterator<Item = &'r str> + use<'r> {
        let machine = self.machine;
        let left = self.left.iter().map(|&symbol| machine.symbol(symbol));
        left.chain(std::iter::once(self.head)).chain(self.right())
    }

    /// The two fluents that hold in the game, as KIF: `(state q1)` and `(tape (cons one nil) zero nil)`.
    pub fn fluents(&self) -> [String; 2] {
        let words = &self.machine.words;
        let mut tape = format!("({} ", words.tape);
        self.push_list(self.left(), &mut tape);
        tape.push(' ');
        tape.push_str(self.head);
        tape.push(' ');
        self.push_list(self.right(), &mut tape);
        tape.push(')');
        [format!("({} {})", words.state, self.state), tape]
    }

    fn push_list(&self, symbols: impl ExactSizeIterator<Item = &'r str>, out: &mut String) {
        let words = &self.machine.words;
        let length = symbols.len();
        for symbol in symbols {
            out.extend(["(", &words.cons, " ", symbol, " "]);
        }
        out.push_str(&words.nil);
        out.extend(std::iter::repeat_n(')', length));
    }
}

/// A step of the machine as a move of the game. It is written as KIF: `(move q1 one right)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move<'m> {
    machine: &'m Machine,
    /// The next state.
    pub state: &'m str,
    /// The symbol written.
    pub write: &'m str,
    /// The direction in which the head moves.
    pub shift: Shift,
}

impl<'m> Move<'m> {
    pub(super) fn of(machine: &'m Machine, transition: Transition) -> Self {
        let Transition { next, write, shift } = transition;
        Move { machine, state: machine.state(next), write: machine.symbol(write), shift }
    }
}

impl fmt::Display for Move<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = &self.machine.words;
        let direction = match self.shift {
            Shift::Left => &words.left,
            Shift::Right => &words.right,
        };
        write!(f, "({} {} {} {direction})", words.transition, self.state, self.write)
    }
}

#[cfg(test)]
mod tests {
    use super::super::interpreter::{Play, any_machine};
    use super::super::samples::{SHIPPED, long_walk, shipped, shipped_text};
    use super::*;
    use proptest::prelude::*;

    fn machine(text: &str) -> Machine {
        Machine::from_toml(text).unwrap_or_else(|error| panic!("{error}"))
    }

    fn count(run: &Run<'_>, symbol: &str) -> usize {
        run.configuration().tape().filter(|&found| found == symbol).count()
    }

    /// A configuration as people write it: the state, then the tape with the head in brackets.
    fn shown(run: &Run<'_>) -> String {
        let now = run.configuration();
        let mut left: Vec<&str> = now.left().collect();
        left.reverse();
        let right: String = now.right().collect();
        format!("{} {}[{}]{right}", now.state(), left.concat(), now.head())
    }

    /// Plays the game that the machine is written as, and holds every step of it against the run.
    fn assert_game_is_run(machine: &Machine, most: u64) {
        let (mut run, mut play) = (machine.run(), Play::of(&machine.to_gdl()));
        loop {
            let mut fluents = run.configuration().fluents();
            fluents.sort_unstable();
            assert_eq!(play.fluents(), fluents, "after {} steps", run.steps());
            let goals: &[&str] = match run.outcome() {
                Outcome::Accepted => &["100"],
                Outcome::Rejected => &["0"],
                Outcome::Running => &[],
            };
            assert_eq!(play.goals(), goals);
            assert_eq!(play.is_terminal(), run.outcome() != Outcome::Running);
            let legal: Vec<String> = run.upcoming().iter().map(Move::to_string).collect();
            assert_eq!(play.legal_moves(), legal, "after {} steps", run.steps());
            if run.steps() == most || run.next().is_none() {
                return;
            }
            play.make(&legal[0]);
        }
    }

    #[test]
    fn the_busy_beaver_of_three_states_runs_as_by_hand() {
        let machine = shipped("busy-beaver-3");
        let mut run = machine.run();
        let mut seen = vec![shown(&run)];
        while run.next().is_some() {
            seen.push(shown(&run).replace("zero", "0").replace("one", "1"));
        }
        // Followed by hand in Table I of the paper.
        let by_hand = [
            "q0 [zero]",
            "q1 1[0]",
            "q2 10[0]",
            "q2 1[0]1",
            "q2 [1]11",
            "q0 [0]111",
            "q1 1[1]11",
            "q1 11[1]1",
            "q1 111[1]",
            "q1 1111[0]",
            "q2 11110[0]",
            "q2 1111[0]1",
            "q2 111[1]11",
            "q0 11[1]111",
            "accept 111[1]11",
        ];
        assert_eq!(seen, by_hand);
        assert_eq!((run.outcome(), run.steps(), count(&run, "one")), (Outcome::Accepted, 14, 6));
        assert_eq!((run.next(), run.steps(), run.run_for(5)), (None, 14, Outcome::Accepted));
    }

    #[test]
    fn fluents_and_moves_are_those_of_the_paper() {
        let machine = shipped("busy-beaver-3");
        let mut run = machine.run();
        assert_eq!(run.configuration().fluents(), ["(state q0)", "(tape nil zero nil)"]);
        let moves: Vec<String> = run.by_ref().take(3).map(|made| made.to_string()).collect();
        assert_eq!(moves, ["(move q1 one right)", "(move q2 zero right)", "(move q2 one left)"]);
        assert_eq!(
            run.configuration().fluents(),
            ["(state q2)", "(tape (cons one nil) zero (cons one nil))"]
        );
        assert_eq!(run.upcoming().map(|coming| coming.shift), Some(Shift::Left));
    }

    #[test]
    fn the_busy_beaver_of_four_states_is_the_known_one() {
        let machine = shipped("busy-beaver-4");
        let mut run = machine.run();
        assert_eq!(run.run_for(106), Outcome::Running);
        assert_eq!((run.run_for(1), run.steps(), count(&run, "1")), (Outcome::Accepted, 107, 13));
    }

    #[test]
    fn the_longest_run_of_three_states_is_not_table_one() {
        let longest = shipped_text("busy-beaver-3")
            .replace(r#""q1", "zero", "q2", "zero", "right""#, r#""q1", "zero", "q1", "one", "left""#)
            .replace(r#""q1", "one", "q1", "one", "right""#, r#""q1", "one", "q2", "zero", "right""#);
        let machine = machine(&longest);
        let mut run = machine.run();
        assert_eq!((run.run_for(100), run.steps(), count(&run, "one")), (Outcome::Accepted, 21, 5));
    }

    #[test]
    fn palindromes_are_accepted_and_other_words_rejected() {
        let text = shipped_text("palindrome");
        for length in 0..8 {
            for number in 0..1_usize << length {
                let word: Vec<&str> =
                    (0..length).map(|at| if number >> at & 1 == 0 { "a" } else { "b" }).collect();
                let input = format!("input = {word:?}");
                let machine = machine(&text.replace(r#"input = ["a", "b", "a", "a", "b", "a"]"#, &input));
                let is_palindrome = word.iter().eq(word.iter().rev());
                let expected = if is_palindrome { Outcome::Accepted } else { Outcome::Rejected };
                assert_eq!(machine.run().run_for(1_000), expected, "{word:?}");
            }
        }
        let machine = shipped("palindrome");
        let mut run = machine.run();
        assert_eq!((run.run_for(1_000), run.steps()), (Outcome::Accepted, 28));
    }

    #[test]
    fn blanks_at_the_ends_are_kept() {
        let text = long_walk(3).replace(r#""1", "right"]"#, r#""0", "right"]"#);
        let machine = machine(&text);
        let mut run = machine.run();
        assert_eq!(run.run_for(9), Outcome::Accepted);
        let expected = "(tape (cons 0 (cons 0 (cons 0 nil))) 0 nil)";
        assert_eq!(run.configuration().fluents(), ["(state accept)", expected]);
    }

    #[test]
    fn a_machine_may_start_where_it_halts() {
        let machine = machine(&long_walk(1).replace(r#"start = "q0""#, r#"start = "reject""#));
        let mut run = machine.run();
        assert_eq!((run.outcome(), run.upcoming(), run.next()), (Outcome::Rejected, None, None));
        assert_game_is_run(&machine, 1);
    }

    #[test]
    fn a_million_steps_are_quick() {
        let machine = machine(&long_walk(1).replace(r#""accept", "1", "right""#, r#""q0", "1", "right""#));
        let mut run = machine.run();
        assert_eq!(run.run_for(1_000_000), Outcome::Running);
        assert_eq!((run.configuration().left().len(), run.configuration().right().len()), (1_000_000, 0));
    }

    #[test]
    fn the_game_of_a_shipped_machine_is_its_run() {
        SHIPPED.into_iter().for_each(|name| assert_game_is_run(&shipped(name), 200));
    }

    proptest! {
        #[test]
        fn the_game_of_any_machine_is_its_run(text in any_machine()) {
            assert_game_is_run(&machine(&text), 25);
        }
    }
}
