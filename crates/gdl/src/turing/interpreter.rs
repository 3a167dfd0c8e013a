//! A tiny interpreter of positive rules, for the tests only. It shares nothing with the rest of the crate,
//! not even the reader, so that a game and the run of its machine agree for no other reason than that both
//! are right.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use proptest::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tree {
    Word(String),
    List(Vec<Tree>),
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Word(word) => f.write_str(word),
            Tree::List(parts) => {
                write!(f, "({})", parts.iter().map(Tree::to_string).collect::<Vec<_>>().join(" "))
            }
        }
    }
}

type Bindings = HashMap<String, Tree>;
type Facts = BTreeSet<Tree>;

impl Tree {
    fn parse(text: &str) -> Vec<Tree> {
        let code: String = text.lines().filter(|line| !line.starts_with(';')).collect::<Vec<_>>().join(" ");
        let spaced = code.replace('(', " ( ").replace(')', " ) ");
        let mut stack = vec![Vec::new()];
        for token in spaced.split_whitespace() {
            let done = match token {
                "(" => {
                    stack.push(Vec::new());
                    continue;
                }
                ")" => Tree::List(stack.pop().unwrap()),
                word => Tree::Word(word.to_owned()),
            };
            stack.last_mut().unwrap().push(done);
        }
        stack.pop().unwrap()
    }

    fn head(&self) -> &str {
        match self {
            Tree::Word(word) => word,
            Tree::List(parts) => parts[0].head(),
        }
    }

    /// Whether a ground tree is an instance of this pattern under the bindings, which it extends.
    fn matches(&self, ground: &Tree, bindings: &mut Bindings) -> bool {
        match (self, ground) {
            (Tree::Word(name), _) if name.starts_with('?') => {
                bindings.entry(name.clone()).or_insert_with(|| ground.clone()) == ground
            }
            (Tree::List(a), Tree::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.matches(b, bindings))
            }
            _ => self == ground,
        }
    }

    fn with(&self, bindings: &Bindings) -> Tree {
        match self {
            Tree::Word(name) => bindings.get(name).unwrap_or(self).clone(),
            Tree::List(parts) => Tree::List(parts.iter().map(|part| part.with(bindings)).collect()),
        }
    }
}

/// A match in progress.
pub(super) struct Play {
    rules: Vec<Tree>,
    state: Facts,
}

impl Play {
    pub(super) fn of(text: &str) -> Self {
        let rules = Tree::parse(text);
        let inits = rules.iter().filter(|rule| rule.head() == "init");
        let state = inits.map(last).collect();
        Play { rules, state }
    }

    /// What follows from the state and a move. No rule here is recursive, so a few rounds reach everything.
    fn facts(&self, made: Option<&Tree>) -> Facts {
        let word = |text: &str| Tree::Word(text.to_owned());
        let mut facts: Facts = self.state.iter().map(|f| Tree::List(vec![word("true"), f.clone()])).collect();
        facts.extend(made.map(|made| Tree::List(vec![word("does"), self.player(), made.clone()])));
        for _ in 0..3 {
            for rule in self.rules.iter().filter(|rule| rule.head() == "<=") {
                let Tree::List(parts) = rule else { continue };
                let solutions = solve(&parts[2..], &Bindings::new(), &facts);
                facts.extend(solutions.iter().map(|bindings| parts[1].with(bindings)));
            }
        }
        facts
    }

    fn player(&self) -> Tree {
        last(self.rules.iter().find(|rule| rule.head() == "role").unwrap())
    }

    fn last_arguments(&self, relation: &str, made: Option<&Tree>) -> Facts {
        self.facts(made).iter().filter(|fact| fact.head() == relation).map(last).collect()
    }

    pub(super) fn fluents(&self) -> Vec<String> {
        self.state.iter().map(Tree::to_string).collect::<BTreeSet<_>>().into_iter().collect()
    }

    pub(super) fn legal_moves(&self) -> Vec<String> {
        self.last_arguments("legal", None).iter().map(Tree::to_string).collect()
    }

    pub(super) fn goals(&self) -> Vec<String> {
        self.last_arguments("goal", None).iter().map(Tree::to_string).collect()
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.facts(None).contains(&Tree::Word("terminal".to_owned()))
    }

    pub(super) fn make(&mut self, made: &str) {
        self.state = self.last_arguments("next", Tree::parse(made).first());
    }
}

fn last(list: &Tree) -> Tree {
    match list {
        Tree::List(parts) => parts[parts.len() - 1].clone(),
        Tree::Word(_) => panic!("{list} is no list"),
    }
}

fn solve(body: &[Tree], bindings: &Bindings, facts: &Facts) -> Vec<Bindings> {
    let Some((first, rest)) = body.split_first() else { return vec![bindings.clone()] };
    let extended = facts.iter().filter_map(|fact| {
        let mut bindings = bindings.clone();
        first.matches(fact, &mut bindings).then_some(bindings)
    });
    extended.flat_map(|bindings| solve(rest, &bindings, facts)).collect()
}

/// The text of a small machine with any table, some names of which are words of the construction.
pub(super) fn any_machine() -> impl Strategy<Value = String> {
    let names = ["read", "q", "1"];
    let symbols = ["nil", "0", "left"];
    (1..=3_usize, 1..=3_usize).prop_flat_map(move |(states, count)| {
        let row = (0..states + 2, 0..count, any::<bool>());
        let table = prop::collection::vec(row, states * count);
        (table, prop::collection::vec(0..count, 0..5)).prop_map(move |(table, input)| {
            let all: Vec<&str> = names[..states].iter().copied().chain(["accept", "reject"]).collect();
            let state = |index: usize| all[index];
            let rows: Vec<String> = (0..table.len())
                .map(|pair| {
                    let (next, write, right) = table[pair];
                    let shift = if right { "right" } else { "left" };
                    let (from, read) = (state(pair / count), symbols[pair % count]);
                    format!("{:?}", [from, read, state(next), symbols[write], shift])
                })
                .collect();
            let input: Vec<&str> = input.iter().map(|&symbol| symbols[symbol]).collect();
            format!(
                "name = \"any\"\nabout = \"any\"\nstates = {:?}\nsymbols = {:?}\nblank = \"nil\"\n\
                 start = \"read\"\naccept = \"accept\"\nreject = \"reject\"\n\
                 input = {input:?}\ntransitions = [{}]\n",
                &names[..states],
                &symbols[..count],
                rows.join(", ")
            )
        })
    })
}
