//! The explanation of an atom as data; `text` renders it.

use groundrules_gdl::{Game, Lines};
use serde::Serialize;

/// Why an atom is in the ground game, or is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The atom.
    pub atom: String,
    /// The answer.
    #[serde(flatten)]
    pub answer: Answer,
}

/// An atom of the ground game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Presence {
    /// How it is written there; arguments that never matter are left out.
    pub written: String,
    /// The atom whose rules these are: of a fluent the `next`, of a move the `legal`.
    pub rules_of: String,
    /// How many rules it has.
    pub rules: usize,
    /// The first of them.
    pub first: Vec<String>,
    /// How many bodies it occurs in.
    pub used: usize,
    /// Of a fluent, whether it holds initially.
    pub at_first: Option<bool>,
}

/// The explanation of an atom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// It is in the ground game, and the state or the moves decide it.
    Present(Presence),
    /// It holds in every state, and no rule needs to ask for it.
    Always {
        /// Whether the ground game states it.
        is_kept: bool,
        /// Its rule.
        rule: String,
    },
    /// It is `init` of something that holds at the beginning.
    First,
    /// No state decides it, and it holds. Such atoms leave the rules.
    Static,
    /// It can never hold.
    Never {
        /// Whether its relation is static.
        is_static: bool,
        /// Why: how the rules for the atom fail, then how those for the atoms fail that they need.
        steps: Vec<ImpossibleAtom>,
    },
    /// It could hold, but nothing asks for it.
    NotAsked(AskedFor),
    /// It is a part of some bodies that is no atom of its own: where a part saves no rules, it is put back.
    Part {
        /// The rules whose bodies it is a part of.
        rules: Vec<RuleAt>,
    },
    /// Every rule for it needs fluents that never hold together.
    Excluded {
        /// The first of these rules.
        rules: Vec<String>,
    },
    /// Every instance of its rules contradicts itself, or what is known for good.
    Contradicted {
        /// The first instances.
        instances: Vec<Instance>,
    },
}

/// A rule of the description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleAt {
    /// The line, once [`Explanation::with_lines`] has found it.
    pub line: Option<u32>,
    /// The rule.
    pub rule: String,
    #[serde(skip)]
    start: u32,
}

impl RuleAt {
    pub(super) fn of(game: &Game, index: usize) -> Self {
        const LONGEST: usize = 300;
        let rule = &game.rules()[index];
        let text = game.kif(rule).to_string();
        let mut shown: String = text.chars().take(LONGEST).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        RuleAt { line: None, rule: shown, start: game.span(rule.node).start }
    }
}

/// An atom that can never hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImpossibleAtom {
    /// The atom.
    pub atom: String,
    /// The rules whose heads fit, and how they fail.
    pub failures: Vec<Failure>,
    /// How many more rules fail that are not shown.
    pub more: usize,
    /// What was probably meant, or what is the case instead.
    pub hint: Option<Hint>,
}

/// A rule whose head fits and whose body cannot be satisfied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The rule.
    #[serde(flatten)]
    pub rule: RuleAt,
    /// The literals before the one that fails: they can be satisfied together, this being one way.
    pub satisfied: Vec<String>,
    /// The values of the variables in that way.
    pub binding: Vec<(String, String)>,
    /// The literal that fails, with these values.
    pub literal: String,
    /// What is wrong with it.
    pub fault: Fault,
    /// The number, from one, of the step that tells more.
    pub step: Option<usize>,
    /// What is the case instead.
    pub hint: Option<Hint>,
}

/// Why a literal cannot be satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// It never holds, or nothing that fits it does.
    NeverHolds,
    /// It is negated and always holds.
    AlwaysHolds,
    /// Its terms must differ and are the same.
    Same,
    /// Its terms must be the same and differ.
    Different,
    /// It contradicts another literal.
    Contradiction,
    /// It is the atom itself.
    Itself,
}

/// What was probably meant, or what is the case instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Hint {
    /// No rule has the name in its head.
    Unknown {
        /// The name.
        name: String,
        /// A name that is much like it.
        nearest: Option<String>,
    },
    /// The name has another number of arguments.
    Arity {
        /// The name.
        name: String,
        /// How many arguments it has.
        arity: usize,
    },
    /// It is no relation but a fluent or a move.
    AskInstead {
        /// What to ask.
        atom: String,
    },
    /// Somebody moves who does not play.
    NoRole {
        /// Who it is.
        role: String,
    },
    /// An argument never has the value.
    Values {
        /// Whose argument.
        name: String,
        /// Which one, from one.
        argument: usize,
        /// The values that it has, the first of them.
        only: Vec<String>,
        /// The number of more.
        more: usize,
    },
}

/// What is asked for instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AskedFor {
    /// How many atoms of the relation are in the ground game.
    pub atoms: usize,
    /// The first of them.
    pub first: Vec<String>,
    /// The argument that is never asked with this value.
    pub hint: Option<Hint>,
    /// The rules that ask for the relation.
    pub rules: Vec<RuleAt>,
    /// How many more of them there are.
    pub more: usize,
}

/// An instance of a rule that can never apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Instance {
    /// The rule of the description.
    #[serde(flatten)]
    pub rule: RuleAt,
    /// The literals, with values for the variables.
    pub body: Vec<String>,
    /// The literal to blame, and why, where one is known.
    pub blamed: Option<(String, Fault)>,
}

impl Explanation {
    /// Finds the lines of the rules in the text of the description.
    #[must_use]
    pub fn with_lines(mut self, text: &[u8]) -> Self {
        let lines = Lines::new(text);
        let find = |rule: &mut RuleAt| rule.line = Some(lines.position(rule.start).line);
        match &mut self.answer {
            Answer::Never { steps, .. } => {
                let failures = steps.iter_mut().flat_map(|step| &mut step.failures);
                failures.for_each(|failure| find(&mut failure.rule));
            }
            Answer::NotAsked(AskedFor { rules, .. }) | Answer::Part { rules } => {
                rules.iter_mut().for_each(find);
            }
            Answer::Contradicted { instances } => {
                instances.iter_mut().for_each(|instance| find(&mut instance.rule));
            }
            Answer::Present { .. }
            | Answer::Always { .. }
            | Answer::First
            | Answer::Static
            | Answer::Excluded { .. } => {}
        }
        self
    }
}
