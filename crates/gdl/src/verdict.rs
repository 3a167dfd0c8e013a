//! The verdict on a description: the smallest fragment of GDL that holds it. `fragment` finds what the verdict rests on;
//! [`read`](crate::read) judges, and [`Game`](crate::Game) remembers.

use serde::Serialize;

/// The fragment of GDL that a description belongs to: the smallest that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It breaks a rule of the language.
    NotGdl,
    /// It is valid, but its terms can grow without end.
    Valid,
    /// It is valid and has a finite grounding.
    Bounded,
    /// It uses no variable.
    Propositional,
}

impl Verdict {
    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::NotGdl => "not GDL",
            Verdict::Valid => "valid GDL",
            Verdict::Bounded => "bounded GDL",
            Verdict::Propositional => "propositional GDL",
        }
    }

    /// Whether the description is GDL at all.
    pub fn is_valid(self) -> bool {
        self != Verdict::NotGdl
    }
}
