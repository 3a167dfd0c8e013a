//! A machine as a game for one player: the construction of Section III of the paper. The preamble (its Fig.
//! 2) is the same for all machines but for the names of the blank and of the halting states; the table
//! becomes one rule for each transition (its Fig. 3), so the text is linear in the table. The player has one
//! legal move until the machine halts, and wins exactly if it accepts.

use std::fmt;

use super::machine::Machine;
use super::run::Move;

impl Machine {
    /// Writes the machine as a description in GDL: valid, and never bounded, for the tape can grow. A fact is
    /// one line, and a rule has its head on one line and each literal of its body on another.
    pub fn to_gdl(&self) -> String {
        let text = Description(self).to_string();
        // In the canonical layout, also where an input or a name is too long for one line.
        match crate::format::format(text.as_bytes(), &crate::Limits::default()) {
            Ok(formatted) => String::from_utf8(formatted).unwrap_or(text),
            Err(_) => text,
        }
    }
}

struct Description<'m>(&'m Machine);

impl fmt::Display for Description<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_head(f)?;
        self.write_start(f)?;
        self.write_table(f)?;
        self.write_steps(f)?;
        self.write_end(f)
    }
}

impl Description<'_> {
    fn write_head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, ";;; name: {}", self.0.name())?;
        writeln!(f, ";;; players: 1")?;
        writeln!(f, ";;; kind: puzzle, Turing machine")?;
        writeln!(f, ";;; exercises: nested terms, unbounded growth")?;
        writeln!(f, ";;; about: {}", self.0.about())
    }

    fn write_start(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n;; The player\n(role {})", self.0.words.player)?;
        writeln!(f, "\n;; Start: the state, and the tape left of the head, under it and right of it")?;
        let fluents = self.0.run().configuration().fluents();
        fluents.iter().try_for_each(|fluent| writeln!(f, "(init {fluent})"))
    }

    fn write_table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = &self.0.words;
        let (player, read, state) = (&words.player, &words.read, &words.state);
        writeln!(
            f,
            "\n;; Legal moves: the next state, the symbol to write and where to go, for each state and symbol"
        )?;
        for (from, symbol, transition) in self.0.transitions() {
            let legal = Move::of(self.0, transition);
            writeln!(f, "(<= (legal {player} {legal})")?;
            writeln!(f, "    (true ({state} {}))", self.0.state(from))?;
            writeln!(f, "    ({read} {}))", self.0.symbol(symbol))?;
        }
        writeln!(f, "\n;; The symbol under the head")?;
        writeln!(f, "(<= ({read} ?j)\n    (true ({} ?_l ?j ?_r)))", words.tape)
    }

    /// The preamble's rules for `next`: two for each direction, the second for when the head leaves the known
    /// tape.
    fn write_steps(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (words, blank) = (&self.0.words, self.0.blank());
        let (tape, cons, nil) = (&words.tape, &words.cons, &words.nil);
        let rules = [
            (format!("({cons} ?j ?l) ?k ?r"), format!("?l ?_i ({cons} ?k ?r)"), &words.right),
            (format!("({cons} ?j ?l) {blank} {nil}"), format!("?l ?_i {nil}"), &words.right),
            (format!("?l ?i ({cons} ?j ?r)"), format!("({cons} ?i ?l) ?_k ?r"), &words.left),
            (format!("{nil} {blank} ({cons} ?j ?r)"), format!("{nil} ?_k ?r"), &words.left),
        ];
        writeln!(f, "\n;; Next state")?;
        for (after, before, direction) in rules {
            writeln!(f, "(<= (next ({tape} {after}))\n    (true ({tape} {before}))")?;
            writeln!(f, "    (does {} ({} ?_q ?j {direction})))", words.player, words.transition)?;
        }
        writeln!(f, "(<= (next ({} ?q))", words.state)?;
        writeln!(f, "    (does {} ({} ?q ?_j ?_d)))", words.player, words.transition)
    }

    fn write_end(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (player, state) = (&self.0.words.player, &self.0.words.state);
        let (accept, reject) = (self.0.accept(), self.0.reject());
        writeln!(f, "\n;; End and goals")?;
        for halting in [accept, reject] {
            writeln!(f, "(<= terminal\n    (true ({state} {halting})))")?;
        }
        writeln!(f)?;
        for (value, halting) in [(100, accept), (0, reject)] {
            writeln!(f, "(<= (goal {player} {value})\n    (true ({state} {halting})))")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{SHIPPED, long_walk, shipped, shipped_text};
    use super::*;
    use crate::Verdict;
    use crate::testing::{check, codes};

    fn machine(text: &str) -> Machine {
        Machine::from_toml(text).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn the_busy_beaver_is_written_as_in_the_paper() {
        let expected = "\
;;; name: busy-beaver-3
;;; players: 1
;;; kind: puzzle, Turing machine
;;; exercises: nested terms, unbounded growth
;;; about: Starts on an empty tape, writes six ones in 14 steps and accepts.

;; The player
(role pl)

;; Start: the state, and the tape left of the head, under it and right of it
(init (state q0))
(init (tape nil zero nil))

;; Legal moves: the next state, the symbol to write and where to go, for each state and symbol
(<= (legal pl (move q1 one right))
    (true (state q0))
    (read zero))
(<= (legal pl (move accept one right))
    (true (state q0))
    (read one))
(<= (legal pl (move q2 zero right))
    (true (state q1))
    (read zero))
(<= (legal pl (move q1 one right))
    (true (state q1))
    (read one))
(<= (legal pl (move q2 one left))
    (true (state q2))
    (read zero))
(<= (legal pl (move q0 one left))
    (true (state q2))
    (read one))

;; The symbol under the head
(<= (read ?j)
    (true (tape ?_l ?j ?_r)))

;; Next state
(<= (next (tape (cons ?j ?l) ?k ?r))
    (true (tape ?l ?_i (cons ?k ?r)))
    (does pl (move ?_q ?j right)))
(<= (next (tape (cons ?j ?l) zero nil))
    (true (tape ?l ?_i nil))
    (does pl (move ?_q ?j right)))
(<= (next (tape ?l ?i (cons ?j ?r)))
    (true (tape (cons ?i ?l) ?_k ?r))
    (does pl (move ?_q ?j left)))
(<= (next (tape nil zero (cons ?j ?r)))
    (true (tape nil ?_k ?r))
    (does pl (move ?_q ?j left)))
(<= (next (state ?q))
    (does pl (move ?q ?_j ?_d)))

;; End and goals
(<= terminal
    (true (state accept)))
(<= terminal
    (true (state reject)))

(<= (goal pl 100)
    (true (state accept)))
(<= (goal pl 0)
    (true (state reject)))
";
        assert_eq!(shipped("busy-beaver-3").to_gdl(), expected);
    }

    #[test]
    fn shipped_machines_are_valid_and_not_bounded() {
        for name in SHIPPED {
            let checked = check(&shipped(name).to_gdl());
            let codes: Vec<_> = checked.diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
            assert_eq!((checked.verdict, codes), (Verdict::Valid, vec!["G601"]), "{name}");
        }
    }

    #[test]
    fn the_formatter_has_nothing_to_change() {
        for name in SHIPPED {
            let gdl = shipped(name).to_gdl();
            let formatted = crate::format::format(gdl.as_bytes(), &crate::Limits::default());
            assert_eq!(formatted.ok(), Some(gdl.into_bytes()), "{name}");
        }
    }

    #[test]
    fn every_shipped_file_is_tested() {
        let folder = format!("{}/../../machines", env!("CARGO_MANIFEST_DIR"));
        let names =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut machines: Vec<_> =
            names.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned())).collect();
        machines.sort_unstable();
        assert_eq!(machines, SHIPPED);
        for name in SHIPPED {
            assert_eq!(shipped(name).name(), name);
        }
    }

    #[test]
    fn names_of_the_construction_give_way_to_the_machine_s() {
        let text = shipped_text("busy-beaver-3")
            .replace("q0", "read")
            .replace("q1", "Move")
            .replace("q2", "tape")
            .replace("zero", "nil")
            .replace("one", "Left");
        let gdl = machine(&text).to_gdl();
        assert!(gdl.contains("(init (tape-2 nil-2 nil nil-2))"), "{gdl}");
        assert!(gdl.contains("(<= (legal pl (move-2 tape Left left-2))"), "{gdl}");
        assert_eq!(codes(&gdl), ["G601"]);
    }

    #[test]
    fn keywords_and_goal_values_are_names_like_any_other() {
        let names = [("q0", "true"), ("q1", "<="), ("q2", "not"), ("zero", "0"), ("one", "100")];
        let renamed = |text: String, (old, new): (&str, &str)| {
            text.replace(&format!("\"{old}\""), &format!("\"{new}\""))
        };
        let text = names.into_iter().fold(shipped_text("busy-beaver-3"), renamed);
        assert_eq!(codes(&machine(&text).to_gdl()), ["G601"]);
        let twin = renamed(renamed(shipped_text("busy-beaver-3"), ("q0", "Same")), ("zero", "Same"));
        assert_eq!(codes(&machine(&twin).to_gdl()), ["G601"]);
    }

    #[test]
    fn a_machine_that_goes_one_way_only_is_not_bounded_either() {
        let right = long_walk(1);
        let left = right.replace("\"right\"", "\"left\"");
        for text in [right, left] {
            assert_eq!(codes(&machine(&text).to_gdl()), ["G601"]);
        }
    }

    #[test]
    fn a_large_table_is_written_in_linear_size() {
        let gdl = machine(&long_walk(50_000)).to_gdl();
        assert_eq!(gdl.matches("(legal pl ").count(), 100_000);
        assert!(gdl.len() < 100 * 100_000);
    }

    #[test]
    fn the_longest_input_is_read_back() {
        let input = format!("input = [{}]", "\"a\", ".repeat(crate::turing::MOST_INPUT));
        let text = shipped_text("palindrome").replace(r#"input = ["a", "b", "a", "a", "b", "a"]"#, &input);
        let checked = check(&machine(&text).to_gdl());
        assert_eq!((checked.verdict, checked.diagnostics.len()), (Verdict::Valid, 1));
    }
}
