//! From TOML to a [`Machine`]. The text is taken as a tree with spans rather than through serde, which stops
//! at the first fault: here every fault is found in one run, each at its place. A fault must not cause
//! others, so a name is taken as defined even where its definition is faulty, and where a whole list cannot
//! be read, nothing is called undefined for not standing in it.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::fault::{Faults, MachineError};
use super::machine::{MOST_INPUT, Machine, StateId, SymbolId, id};
use super::names::{Kind, Names, Suggestions, Word, clipped, unfit};
use super::table::Rows;
use super::words::Words;
use crate::span::MOST_BYTES;

const KEYS: [&str; 11] = [
    "name",
    "about",
    "states",
    "symbols",
    "blank",
    "start",
    "accept",
    "reject",
    "input",
    "default",
    "transitions",
];
const OPTIONAL_KEYS: [&str; 2] = ["input", "default"];

/// Reads a machine from TOML.
pub(super) fn read(text: &str) -> Result<Machine, MachineError> {
    let mut faults = Faults::new(text);
    if text.len() > MOST_BYTES {
        faults.push(0..0, format!("the text has {} bytes, more than the limit of {MOST_BYTES}", text.len()));
        return Err(faults.into_error());
    }
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        faults.push(error.span().unwrap_or_default(), format!("malformed TOML: {}", error.message()));
    }
    if !faults.is_empty() {
        return Err(faults.into_error());
    }
    let mut reader = Reader {
        document: document.get_ref(),
        faults,
        names: Names::default(),
        suggestions: Suggestions::default(),
    };
    let parts = reader.parts();
    match parts.filter(|_| reader.faults.is_empty()) {
        Some(parts) => Ok(parts.assemble(&reader.names)),
        None => Err(reader.faults.into_error()),
    }
}

/// A faultless description, not yet put together.
struct Parts {
    name: String,
    about: String,
    blank: SymbolId,
    start: StateId,
    input: Vec<SymbolId>,
    rows: Rows,
}

impl Parts {
    fn assemble(self, names: &Names) -> Machine {
        let states = names.spellings(Kind::State);
        let reject = StateId(id(states.len().saturating_sub(1)));
        Machine {
            name: self.name,
            about: self.about,
            symbols: names.spellings(Kind::Symbol),
            states,
            blank: self.blank,
            start: self.start,
            input: self.input,
            table: self.rows.table(reject),
            words: Words::beside(&names.table),
        }
    }
}

/// A description being read.
pub(super) struct Reader<'d, 't> {
    pub(super) document: &'d DeTable<'t>,
    pub(super) faults: Faults<'t>,
    pub(super) names: Names,
    suggestions: Suggestions,
}

impl<'d, 't> Reader<'d, 't> {
    /// Reads every part, the definitions of names before their uses. Nothing is returned only where there is
    /// a fault.
    fn parts(&mut self) -> Option<Parts> {
        self.check_keys();
        let (name, about) = (self.line_of_text("name"), self.line_of_text("about"));
        self.define_all("states", Kind::State);
        let working = self.names.list(Kind::State).len();
        self.define_halting("accept");
        self.define_halting("reject");
        self.define_all("symbols", Kind::Symbol);
        let blank = self.string("blank").and_then(|word| self.used_symbol(&word));
        let start = self.string("start").and_then(|word| self.used_state(&word));
        let input = self.input();
        let rows = self.rows(working);
        Some(Parts { name: name?, about: about?, blank: blank?, start: start?, input, rows })
    }

    fn check_keys(&mut self) {
        for key in self.document.keys().filter(|key| !KEYS.contains(&key.get_ref().as_ref())) {
            let meant = self.suggestions.nearest(key.get_ref(), KEYS.into_iter());
            self.faults.push(key.span(), format!("unknown key `{}`{meant}", clipped(key.get_ref())));
        }
        for key in KEYS.into_iter().filter(|key| !OPTIONAL_KEYS.contains(key)) {
            if !self.document.contains_key(key) {
                self.faults.push(0..0, format!("the key `{key}` is missing"));
            }
        }
    }

    /// Where a key stands.
    pub(super) fn place(&self, key: &str) -> Range<usize> {
        self.document.get_key_value(key).map_or(0..0, |(key, _)| key.span())
    }

    pub(super) fn string(&mut self, key: &str) -> Option<Word<'d>> {
        let value = self.document.get(key)?;
        self.word(value, &format!("`{key}`"))
    }

    /// The value as a string; `what` says in a message what it should be.
    pub(super) fn word(&mut self, value: &'d Spanned<DeValue<'t>>, what: &str) -> Option<Word<'d>> {
        let DeValue::String(text) = value.get_ref() else {
            let message = match value.get_ref() {
                DeValue::Integer(number) => format!("{what} must be a string: write \"{number}\""),
                other => format!("{what} must be a string, not {}", with_article(other.type_str())),
            };
            self.faults.push(value.span(), message);
            return None;
        };
        Some(Word { text: text.as_ref(), place: value.span() })
    }

    /// The value of a key as a list.
    pub(super) fn list(&mut self, key: &str) -> Option<&'d DeArray<'t>> {
        let value = self.document.get(key)?;
        let DeValue::Array(list) = value.get_ref() else {
            let message = format!("`{key}` must be a list, not {}", with_article(value.get_ref().type_str()));
            self.faults.push(value.span(), message);
            return None;
        };
        Some(list)
    }

    /// A text for the head of the description, which gives it one line.
    fn line_of_text(&mut self, key: &str) -> Option<String> {
        let word = self.string(key)?;
        if word.text.contains(is_line_break_or_control) {
            self.faults.push(word.place, format!("`{key}` must be a single line without control characters"));
        } else if word.text.trim().is_empty() {
            self.faults.push(word.place, format!("`{key}` is empty"));
        }
        Some(word.text.trim().to_owned())
    }

    fn define_all(&mut self, key: &str, kind: Kind) {
        let list = self.list(key);
        self.names.incomplete[kind as usize] = list.is_none();
        let Some(list) = list else { return };
        if list.is_empty() {
            self.faults.push(self.place(key), format!("there must be at least one {}", kind.word()));
        }
        for value in list {
            let Some(word) = self.word(value, &format!("a {}", kind.word())) else {
                self.names.incomplete[kind as usize] = true;
                continue;
            };
            if let Some(first) = self.define(kind, &word) {
                let (what, name, line) = (kind.word(), clipped(word.text), self.faults.line(first));
                let message = format!("the {what} `{name}` is listed twice, first in line {line}");
                self.faults.push(word.place, message);
            }
        }
    }

    /// Defines the accepting or the rejecting state.
    fn define_halting(&mut self, key: &str) {
        let Some(word) = self.string(key) else {
            self.names.incomplete[Kind::State as usize] = true;
            return;
        };
        let Some(first) = self.define(Kind::State, &word) else { return };
        let is_accept = self.document.get("accept").is_some_and(|accept| accept.span().start == first);
        let (name, line) = (clipped(word.text), self.faults.line(first));
        let message = if is_accept {
            format!("`accept` and `reject` are the same state `{name}`")
        } else {
            format!("the {key} state `{name}` is also listed among the working states, in line {line}")
        };
        self.faults.push(word.place, message);
    }

    /// Gives a name the next number of its kind. If it has one already, returns where it was first defined.
    fn define(&mut self, kind: Kind, word: &Word<'_>) -> Option<usize> {
        self.check_fitness(kind, word);
        let name = self.names.add(word);
        let first = self.names.defined_at(name);
        let spelling = self.names.table.spelling(name);
        let clashes = spelling != word.text;
        if clashes {
            let (one, other, line) = (clipped(word.text), clipped(spelling), self.faults.line(first));
            let message = format!("`{one}` and `{other}` in line {line} differ only in letter case");
            self.faults.push(word.place.clone(), format!("{message}, which GDL does not tell apart"));
        }
        let is_new = self.names.number(kind, name);
        (!is_new && !clashes).then_some(first)
    }

    fn check_fitness(&mut self, kind: Kind, word: &Word<'_>) {
        if let Some(why) = unfit(word.text) {
            let message = format!("{} {:?} cannot be written in GDL: {why}", kind.word(), clipped(word.text));
            self.faults.push(word.place.clone(), message);
        }
    }

    fn used(&mut self, kind: Kind, word: &Word<'_>) -> Option<u32> {
        let number = self.names.find(kind, word.text);
        if number.is_none() && !self.names.incomplete[kind as usize] {
            let candidates = self.names.list(kind).iter().map(|&name| self.names.table.spelling(name));
            let meant = self.suggestions.nearest(word.text, candidates);
            let message = format!("`{}` is not among the {}s{meant}", clipped(word.text), kind.word());
            self.faults.push(word.place.clone(), message);
        }
        number
    }

    pub(super) fn used_state(&mut self, word: &Word<'_>) -> Option<StateId> {
        self.used(Kind::State, word).map(StateId)
    }

    pub(super) fn used_symbol(&mut self, word: &Word<'_>) -> Option<SymbolId> {
        self.used(Kind::Symbol, word).map(SymbolId)
    }

    fn input(&mut self) -> Vec<SymbolId> {
        let Some(list) = self.list("input") else { return Vec::new() };
        if list.len() > MOST_INPUT {
            let message =
                format!("the input has {} symbols, more than the limit of {MOST_INPUT}", list.len());
            self.faults.push(self.place("input"), message);
        }
        let mut input = Vec::with_capacity(list.len());
        for value in list {
            let word = self.word(value, "a symbol of the input");
            input.extend(word.and_then(|word| self.used_symbol(&word)));
        }
        input
    }
}

fn is_line_break_or_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// A noun with `a` or `an`.
pub(super) fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

#[cfg(test)]
mod tests {
    use super::super::samples::{PLAIN, faults, spoiled};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_plain_machine_is_faultless() {
        let machine = Machine::from_toml(PLAIN).unwrap();
        assert_eq!((machine.states().len(), machine.input().len(), machine.transitions().count()), (2, 2, 4));
        assert_eq!(Machine::from_toml(&PLAIN.replace('\n', "\r\n")).unwrap(), machine);
        assert_eq!(
            Machine::from_toml(&PLAIN.replace("input = [\"1\", \"0\"]\n", "")).unwrap().input().len(),
            0
        );
    }

    #[test]
    fn undefined_names_are_refused_with_the_nearest() {
        assert_eq!(
            spoiled("start = \"q0\"", "start = \"q9\""),
            ["6:9 `q9` is not among the states; did you mean `q0`?"]
        );
        assert_eq!(spoiled("blank = \"0\"", "blank = \"void\""), ["5:9 `void` is not among the symbols"]);
        assert_eq!(
            spoiled("[\"1\", \"0\"]\nt", "[\"1\", \"00\"]\nt"),
            ["9:15 `00` is not among the symbols; did you mean `0`?"]
        );
        let row = "[\"q0\", \"0\", \"q1\", \"1\", \"right\"]";
        let spoiled_row = spoiled(row, "[\"p\", \"x\", \"accept\", \"11\", \"up\"]");
        assert_eq!(
            spoiled_row,
            [
                "11:4 `p` is not among the states",
                "11:9 `x` is not among the symbols",
                "11:14 `accept` is not among the states",
                "11:24 `11` is not among the symbols; did you mean `1`?",
                "11:30 unknown direction `up`: write \"left\" or \"right\"",
            ]
        );
    }

    #[test]
    fn names_are_compared_without_letter_case() {
        assert_eq!(
            Machine::from_toml(&PLAIN.replacen("[\"q0\", \"0\"", "[\"Q0\", \"0\"", 1))
                .unwrap()
                .states()
                .len(),
            2
        );
        let message = "differ only in letter case, which GDL does not tell apart";
        assert_eq!(
            spoiled("\"q1\"]", "\"Q0\", \"q1\"]"),
            [format!("3:17 `Q0` and `q0` in line 3 {message}")]
        );
        assert_eq!(
            spoiled("[\"0\", \"1\"]", "[\"0\", \"1\", \"YES\"]")[0],
            format!("4:22 `YES` and `yes` in line 7 {message}")
        );
    }

    #[test]
    fn a_name_defined_twice_is_refused() {
        assert_eq!(
            spoiled("\"q1\"]", "\"q1\", \"q0\"]"),
            ["3:23 the state `q0` is listed twice, first in line 3"]
        );
        assert_eq!(
            spoiled("\"1\"]", "\"1\",\n \"1\"]"),
            ["5:2 the symbol `1` is listed twice, first in line 4"]
        );
        let among = "is also listed among the working states, in line 3";
        assert_eq!(
            spoiled("accept = \"yes\"", "accept = \"q1\""),
            [format!("7:10 the accept state `q1` {among}"), "13:15 `yes` is not among the states".to_owned()]
        );
        assert_eq!(
            spoiled("reject = \"no\"", "reject = \"yes\""),
            ["8:10 `accept` and `reject` are the same state `yes`", "14:15 `no` is not among the states"]
        );
    }

    #[test]
    fn names_that_kif_cannot_hold_are_refused() {
        for (name, why) in [
            ("a b", "it holds white space"),
            ("(", "it holds a `(`"),
            ("a)", "it holds a `)`"),
            ("a;b", "it holds a `;`"),
            ("?x", "with a leading `?` it would be a variable"),
            ("", "it is empty"),
            ("a\u{200B}b", "it holds the invisible character U+200B"),
        ] {
            let message = format!("{name:?} cannot be written in GDL: {why}");
            let found = spoiled("symbols = [", &format!("default = \"reject\"\nsymbols = [\"{name}\", "));
            assert_eq!(found, [format!("5:12 symbol {message}")]);
            let found = spoiled("states = [", &format!("default = \"reject\"\nstates = [\"{name}\", "));
            assert_eq!(found, [format!("4:11 state {message}")]);
        }
        let long = "x".repeat(5_000);
        let found = spoiled("reject = \"no\"", &format!("reject = \"{long}\""));
        assert!(found[0].ends_with("it has 5000 bytes, more than the limit of 4096"), "{}", found[0]);
    }

    #[test]
    fn keys_are_checked() {
        assert_eq!(
            spoiled("blank =", "blnk ="),
            ["1:1 the key `blank` is missing", "5:1 unknown key `blnk`; did you mean `blank`?"]
        );
        assert_eq!(faults("").len(), KEYS.len() - OPTIONAL_KEYS.len());
        assert_eq!(
            spoiled("name = \"plain\"", "name = \"pl\\nain\"")[0],
            "1:8 `name` must be a single line without control characters"
        );
        assert_eq!(spoiled("name = \"plain\"", "name = \"  \""), ["1:8 `name` is empty"]);
        assert_eq!(
            spoiled("states = [\"q0\", \"q1\"]", "states = []")[0],
            "3:1 there must be at least one state"
        );
    }

    #[test]
    fn values_of_a_wrong_type_are_refused_without_further_faults() {
        assert_eq!(
            spoiled("states = [\"q0\", \"q1\"]", "states = \"q0\""),
            ["3:10 `states` must be a list, not a string"]
        );
        assert_eq!(spoiled("[\"0\", \"1\"]", "[0, \"1\"]"), ["4:12 a symbol must be a string: write \"0\""]);
        assert_eq!(
            spoiled("start = \"q0\"", "start = true"),
            ["6:9 `start` must be a string, not a boolean"]
        );
        assert_eq!(
            spoiled("input = [\"1\", \"0\"]", "input = 1979-05-27"),
            ["9:9 `input` must be a list, not a datetime"]
        );
        let parts = "[state, symbol read, next state, symbol written, direction]";
        assert_eq!(
            spoiled(", \"left\"]", "]"),
            [format!("12:3 a transition has five parts {parts}, this one has 4")]
        );
        assert_eq!(
            spoiled("[\"q0\", \"0\", \"q1\", \"1\", \"right\"]", "7"),
            [format!("11:3 a transition must be a list {parts}, not an integer")]
        );
        assert_eq!(
            spoiled("\"yes\", \"0\", \"right\"", "\"yes\", {}, \"right\""),
            ["13:22 a part of a transition must be a string, not a table"]
        );
    }

    #[test]
    fn malformed_toml_is_placed() {
        let found = spoiled("blank = \"0\"", "blank = \"0");
        assert!(found[0].starts_with("5:") && found[0].contains("malformed TOML: "), "{found:?}");
        let found = spoiled("start = \"q0\"", "blank = \"q0\"");
        assert!(found[0].starts_with("6:1 malformed TOML: duplicate key"), "{found:?}");
    }

    #[test]
    fn a_long_input_is_refused() {
        let input =
            |length: usize| PLAIN.replace("[\"1\", \"0\"]\nt", &format!("[{}]\nt", "\"1\",".repeat(length)));
        assert_eq!(Machine::from_toml(&input(MOST_INPUT)).unwrap().input().len(), MOST_INPUT);
        assert_eq!(
            faults(&input(MOST_INPUT + 1)),
            ["9:1 the input has 9001 symbols, more than the limit of 9000"]
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(?s).{0,200}") {
            if let Err(error) = Machine::from_toml(&text) {
                prop_assert!(!error.faults().is_empty());
            }
        }

        #[test]
        fn any_damage_to_a_machine_is_survived(
            at in 0..PLAIN.len(),
            length in 0usize..8,
            by in "[\\[\\]\"=,0q1 \n.{}]{0,6}",
        ) {
            let end = (at + length).min(PLAIN.len());
            let text = format!("{}{by}{}", &PLAIN[..at], &PLAIN[end..]);
            match Machine::from_toml(&text) {
                Ok(machine) => prop_assert!(crate::testing::verdict(&machine.to_gdl()).is_valid()),
                Err(error) => prop_assert!(!error.faults().is_empty()),
            }
        }
    }
}
