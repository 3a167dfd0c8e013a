//! Other names for the symbols of a game, so that no player knows it by its words. Keywords, numbers and the role `random`
//! keep theirs. The same seed gives the same names, so a match can be resumed.

use std::collections::HashMap;

use groundrules_gdl::keyword::Keyword;
use groundrules_gdl::roles::NATURE;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

use crate::wire::{Text, WireError, one_term, rules_on_one_line};

/// The names of a match, there and back. Letter case does not matter.
#[derive(Clone, Debug, Default)]
pub struct Scramble {
    there: HashMap<String, String>,
    back: HashMap<String, String>,
}

impl Scramble {
    /// Every symbol keeps its name.
    pub fn none() -> Self {
        Scramble::default()
    }

    /// New names for the symbols of a description.
    pub fn of(description: &[u8], seed: u64) -> Result<Self, WireError> {
        let text = Text::read(description)?;
        let tree = text.tree();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut names = Scramble::default();
        for node in tree.nodes() {
            let Some(symbol) = tree.word(node) else { continue };
            let folded = tree.symbols.folded(symbol);
            if !keeps_its_name(folded) && !names.there.contains_key(folded) {
                let new = names.new_name(folded, &mut random);
                names.back.insert(new.clone(), tree.symbols.spelling(symbol).to_owned());
                names.there.insert(folded.to_owned(), new);
            }
        }
        Ok(names)
    }

    fn new_name(&self, folded: &str, random: &mut Xoshiro256PlusPlus) -> String {
        let sign = if folded.starts_with('?') { "?" } else { "" };
        let mut syllables = 2;
        loop {
            let name = format!("{sign}{}", word(syllables, random));
            if !keeps_its_name(&name) && !self.back.contains_key(&name) {
                return name;
            }
            // In games with very many symbols, short words run out.
            syllables += usize::from(random.next_u64().is_multiple_of(4));
        }
    }

    /// A description on one line, in the new names.
    pub fn rules(&self, description: &[u8]) -> Result<String, WireError> {
        rules_on_one_line(description, &mut |word, out| out.push_str(renamed(&self.there, word)))
    }

    /// A term in the new names.
    pub fn term(&self, term: &str) -> String {
        self.through(&self.there, term).unwrap_or_else(|| term.to_owned())
    }

    /// A term of a player in the old names; nothing if it is no ground term.
    pub fn back(&self, term: &str) -> Option<String> {
        let term = one_term(term.as_bytes())?;
        self.through(&self.back, &term)
    }

    fn through(&self, names: &HashMap<String, String>, term: &str) -> Option<String> {
        let text = Text::read(term.as_bytes()).ok()?;
        let mut out = String::new();
        text.write(text.only()?, &mut out, &mut |word, out| out.push_str(renamed(names, word)));
        Some(out)
    }
}

fn renamed<'a>(names: &'a HashMap<String, String>, word: &'a str) -> &'a str {
    if names.is_empty() {
        return word;
    }
    names.get(&word.to_lowercase()).map_or(word, String::as_str)
}

fn keeps_its_name(folded: &str) -> bool {
    let is_number = folded.bytes().all(|byte| byte.is_ascii_digit());
    is_number || folded == NATURE || Keyword::named(folded).is_some()
}

fn word(syllables: usize, random: &mut Xoshiro256PlusPlus) -> String {
    const CONSONANTS: &[u8] = b"bcdfghjklmnprstvwxz";
    const VOWELS: &[u8] = b"aeiou";
    let mut one_of = |letters: &[u8]| {
        let index = random.next_u64() % letters.len().max(1) as u64;
        letters.get(index as usize).map_or('a', |&letter| char::from(letter))
    };
    (0..syllables).flat_map(|_| [one_of(CONSONANTS), one_of(VOWELS)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[u8] = b"(role Red) (role random) (init (cell 1 b)) ; a comment
        (<= (legal ?r (mark ?c)) (role ?r) (true (cell ?c b)))";

    #[test]
    fn names_change_and_come_back() {
        let scramble = Scramble::of(RULES, 7).expect("a description");
        let rules = scramble.rules(RULES).expect("a description");
        assert!(rules.contains("(role random)") && rules.contains("(<= (legal ?") && rules.contains(" 1 "));
        for old in ["red", "cell", "mark", "?r ", "?c ", ";"] {
            assert!(!rules.to_lowercase().contains(old), "{old} in {rules}");
        }
        let sent = scramble.term("(mark b)");
        assert_ne!(sent, "(mark b)");
        assert_eq!(scramble.back(&sent.to_uppercase()).as_deref(), Some("(mark b)"));
        assert_eq!(scramble.back(&scramble.term("red")).as_deref(), Some("Red"), "the first spelling");
        assert_eq!(scramble.back("(mark ?x)"), None);
        assert_eq!(Scramble::of(RULES, 7).expect("a description").rules(RULES), Ok(rules), "the same seed");
    }

    #[test]
    fn without_scrambling_nothing_changes() {
        let none = Scramble::none();
        assert_eq!(none.term("(Mark 1)"), "(Mark 1)");
        assert_eq!(none.back("( Mark  1 )").as_deref(), Some("(Mark 1)"));
        assert_eq!(none.rules(b"(role a) ; x\n(role b)").as_deref(), Ok("(role a) (role b)"));
    }

    #[test]
    fn there_are_names_for_many() {
        let rules: String = (0..20_000).map(|number| format!("(s a{number}) ")).collect();
        let scramble = Scramble::of(rules.as_bytes(), 1).expect("a description");
        assert_eq!(scramble.back.len(), 20_001);
    }
}
