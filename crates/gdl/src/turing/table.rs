//! The transition table while it is read. Rows come in any order, may be faulty and may be missing, so they
//! are kept by their pair of state and symbol; only a table that turns out total is laid out in full.
//! Everything here stays linear in the text, though a machine may lack far more pairs than its text has
//! letters.

use std::collections::HashMap;

use toml::Spanned;
use toml::de::DeValue;

use super::machine::{MOST_DEFAULTS, Shift, StateId, SymbolId, Transition};
use super::names::{Kind, Names, Word, clipped};
use super::reader::{Reader, with_article};

/// How many of the missing pairs are named.
const MOST_PAIRS_NAMED: usize = 100;

/// The transitions that the description gives, by state and symbol.
#[derive(Default)]
pub(super) struct Rows {
    /// How many working states there are.
    states: u64,
    /// The number of symbols.
    symbols: u64,
    rows: HashMap<u64, Row, foldhash::fast::RandomState>,
    /// How many rows do not say which state and symbol they are for.
    unreadable: u64,
}

struct Row {
    at: usize,
    /// None if the row is faulty; its pair counts as given all the same.
    transition: Option<Transition>,
}

/// Half of a pair, which came from four bytes.
fn number(half: u64) -> u32 {
    u32::try_from(half).expect("pairs are made of four-byte numbers")
}

impl Rows {
    fn pair(&self, state: StateId, symbol: SymbolId) -> u64 {
        u64::from(state.0) * self.symbols + u64::from(symbol.0)
    }

    fn state_of(&self, pair: u64) -> StateId {
        StateId(number(pair / self.symbols.max(1)))
    }

    fn symbol_of(&self, pair: u64) -> SymbolId {
        SymbolId(number(pair % self.symbols.max(1)))
    }

    fn pairs(&self) -> u64 {
        self.states.saturating_mul(self.symbols)
    }

    fn missing(&self) -> u64 {
        self.pairs().saturating_sub(self.rows.len() as u64)
    }

    /// The whole table; what is missing leaves the tape as it is, moves to the right and rejects.
    pub(super) fn table(&self, reject: StateId) -> Vec<Transition> {
        let transition = |pair: u64| {
            let given = self.rows.get(&pair).and_then(|row| row.transition);
            given.unwrap_or(Transition { next: reject, write: self.symbol_of(pair), shift: Shift::Right })
        };
        (0..self.pairs()).map(transition).collect()
    }
}

impl<'d, 't> Reader<'d, 't> {
    /// Reads the transitions of a machine with so many working states.
    pub(super) fn rows(&mut self, working: usize) -> Rows {
        let symbols = self.names.list(Kind::Symbol).len() as u64;
        let mut rows = Rows { states: working as u64, symbols, ..Rows::default() };
        for value in self.list("transitions").into_iter().flatten() {
            self.row(value, &mut rows);
        }
        self.check_missing_pairs(&rows);
        rows
    }

    fn row(&mut self, value: &'d Spanned<DeValue<'t>>, rows: &mut Rows) {
        let Some([state_word, read, next, write, shift]) = self.row_words(value) else {
            rows.unreadable += 1;
            return;
        };
        let state = state_word.as_ref().and_then(|word| self.used_state(word));
        let read = read.and_then(|word| self.used_symbol(&word));
        let next = next.and_then(|word| self.used_state(&word));
        let write = write.and_then(|word| self.used_symbol(&word));
        let shift = shift.and_then(|word| self.shift(&word));
        if let (Some(state), Some(word)) = (state, state_word)
            && u64::from(state.0) >= rows.states
        {
            let message = format!("a transition from `{}`, where the machine halts", clipped(word.text));
            self.faults.push(word.place, message);
            return;
        }
        let (Some(state), Some(read)) = (state, read) else {
            rows.unreadable += 1;
            return;
        };
        let whole = |((next, write), shift)| Transition { next, write, shift };
        let row = Row { at: value.span().start, transition: next.zip(write).zip(shift).map(whole) };
        self.keep(rows, rows.pair(state, read), row, value);
    }

    fn keep(&mut self, rows: &mut Rows, pair: u64, row: Row, value: &Spanned<DeValue<'_>>) {
        if let Some(first) = rows.rows.get(&pair) {
            let (pair, line) = (in_words(&self.names, rows, pair), self.faults.line(first.at));
            let message = format!("a second transition for {pair}, the first is in line {line}");
            self.faults.push(value.span(), message);
        } else {
            rows.rows.insert(pair, row);
        }
    }

    /// The five words of a row, without those that are no strings. None if there are not five.
    fn row_words(&mut self, value: &'d Spanned<DeValue<'t>>) -> Option<[Option<Word<'d>>; 5]> {
        const PARTS: &str = "[state, symbol read, next state, symbol written, direction]";
        let message = match value.get_ref() {
            DeValue::Array(parts) if parts.len() == 5 => {
                return Some(std::array::from_fn(|index| self.word(&parts[index], "a part of a transition")));
            }
            DeValue::Array(parts) => {
                format!("a transition has five parts {PARTS}, this one has {}", parts.len())
            }
            other => format!("a transition must be a list {PARTS}, not {}", with_article(other.type_str())),
        };
        self.faults.push(value.span(), message);
        None
    }

    fn shift(&mut self, word: &Word<'_>) -> Option<Shift> {
        match word.text {
            "left" => Some(Shift::Left),
            "right" => Some(Shift::Right),
            other => {
                let message = format!("unknown direction `{}`: write \"left\" or \"right\"", clipped(other));
                self.faults.push(word.place.clone(), message);
                None
            }
        }
    }

    fn has_default(&mut self) -> bool {
        let Some(word) = self.string("default") else { return self.document.contains_key("default") };
        if word.text != "reject" {
            let message = format!("the only `default` there is is \"reject\", not `{}`", clipped(word.text));
            self.faults.push(word.place, message);
        }
        true
    }

    fn check_missing_pairs(&mut self, rows: &Rows) {
        let missing = rows.missing();
        if self.has_default() {
            if missing > MOST_DEFAULTS {
                let message =
                    format!("{missing} transitions are left to the default, more than {MOST_DEFAULTS}");
                self.faults.push(self.place("default"), message);
            }
            return;
        }
        // Rows that could not be read may well be the missing ones, and without the lists nothing can be
        // said.
        let has_rows = self.document.get("transitions").is_some_and(|value| value.get_ref().is_array());
        if !has_rows || missing <= rows.unreadable || self.names.incomplete.contains(&true) {
            return;
        }
        let pairs = (0..rows.pairs()).filter(|pair| !rows.rows.contains_key(pair)).take(MOST_PAIRS_NAMED);
        let named: Vec<String> = pairs.map(|pair| in_words(&self.names, rows, pair)).collect();
        let more = match missing.saturating_sub(named.len() as u64) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (named, advice) =
            (named.join(", "), "give one for every state and symbol, or `default = \"reject\"`");
        self.faults.push(self.place("transitions"), format!("no transition for {named}{more}; {advice}"));
    }
}

fn in_words(names: &Names, rows: &Rows, pair: u64) -> String {
    let state = names.spelling(Kind::State, rows.state_of(pair).0);
    let symbol = names.spelling(Kind::Symbol, rows.symbol_of(pair).0);
    format!("({}, {})", clipped(state), clipped(symbol))
}

#[cfg(test)]
mod tests {
    use super::super::machine::Machine;
    use super::super::samples::{PLAIN, faults, long_walk, spoiled};
    use super::*;

    #[test]
    fn a_second_transition_for_a_pair_is_refused() {
        let found = spoiled("[\"q1\", \"1\",", "[\"q0\", \"1\",");
        assert_eq!(
            found[0],
            "10:1 no transition for (q1, 1); give one for every state and symbol, or `default = \"reject\"`"
        );
        assert_eq!(found[1..], ["14:3 a second transition for (q0, 1), the first is in line 12"]);
    }

    #[test]
    fn a_halting_state_has_no_transitions() {
        let found =
            spoiled("transitions = [", "transitions = [\n  [\"no\", \"0\", \"q0\", \"0\", \"left\"],");
        assert_eq!(found, ["11:4 a transition from `no`, where the machine halts"]);
    }

    #[test]
    fn missing_pairs_are_named_or_rejected() {
        let without = PLAIN.replace("  [\"q1\", \"0\", \"yes\", \"0\", \"right\"],\n", "");
        let without = without.replace("  [\"q1\", \"1\", \"no\", \"1\", \"left\"],\n", "");
        let advice = "give one for every state and symbol, or `default = \"reject\"`";
        assert_eq!(faults(&without), [format!("10:1 no transition for (q1, 0), (q1, 1); {advice}")]);
        let machine = Machine::from_toml(&format!("default = \"reject\"\n{without}")).unwrap();
        let added: Vec<Transition> =
            machine.transitions().skip(2).map(|(_, _, transition)| transition).collect();
        let reject = machine.rejecting();
        let to_reject = |symbol| Transition { next: reject, write: SymbolId(symbol), shift: Shift::Right };
        assert_eq!(added, [to_reject(0), to_reject(1)]);
        let accepting = format!("default = \"accept\"\n{without}");
        assert_eq!(faults(&accepting), ["1:11 the only `default` there is is \"reject\", not `accept`"]);
    }

    #[test]
    fn a_table_too_large_to_fill_is_refused() {
        let names = |letter: char| (0..2_000).map(|n| format!("\"{letter}{n}\", ")).collect::<String>();
        let large = PLAIN.replacen("states = [", &format!("states = [{}", names('p')), 1);
        let large = large.replacen("symbols = [", &format!("symbols = [{}", names('s')), 1);
        let found = faults(&large);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("10:1 no transition for (p0, s0), (p0, s1)"), "{}", found[0]);
        assert!(found[0].contains("(p0, s99) and 4007900 more; give one for every state"), "{}", found[0]);
        let found = faults(&format!("default = \"reject\"\n{large}"));
        assert_eq!(found, ["1:1 4008000 transitions are left to the default, more than 1000000"]);
    }

    #[test]
    fn a_hundred_thousand_transitions_are_read() {
        let text = long_walk(50_000);
        assert_eq!(Machine::from_toml(&text).unwrap().transitions().count(), 100_000);
        let faulty = text.replace("\"1\", \"right\"", "\"x\", \"rigt\"");
        assert_eq!(faults(&faulty).len(), 200_000);
        let one_line = faulty.replacen("transitions", "about2 = 1\ntransitions", 1).replace("],\n", "],");
        assert_eq!(faults(&one_line).len(), 200_001);
    }
}
