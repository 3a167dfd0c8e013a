//! The words that GDL gives a meaning to, with their arity and the places where each may stand. Checks and
//! evaluators alike take these facts from here.

/// A word with a meaning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keyword {
    /// `(role r)`: r is a player.
    Role,
    /// `(init f)`: f holds at the beginning.
    Init,
    /// `(true f)`: f holds now.
    True,
    /// `(does r m)`: r makes the move m.
    Does,
    /// `(next f)`: f will hold after the moves made.
    Next,
    /// `(legal r m)`: r may make the move m.
    Legal,
    /// `(goal r v)`: the position is worth v to r.
    Goal,
    /// `terminal`: the match is over.
    Terminal,
    /// `(base f)`: f may hold in some state.
    Base,
    /// `(input r m)`: m may be a move of r.
    Input,
    /// `(sees r p)`: r is told p (GDL-II).
    Sees,
    /// `(distinct s t)`: s and t are not the same term.
    Distinct,
    /// `(not l)`: negation as failure.
    Not,
    /// `(or l …)`: at least one holds.
    Or,
    /// `(and l …)`: all hold; not part of the specification, but seen.
    And,
    /// `(<= head body …)`: a rule.
    Implies,
}

/// Where in a rule a relation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// As the head of a rule, or as a fact.
    Head,
    /// In the body of a rule.
    Body,
}

impl Keyword {
    /// The relations among the keywords, in the order of their [`crate::game::RelationId`].
    pub const RELATIONS: [Keyword; 11] = [
        Keyword::Role,
        Keyword::Init,
        Keyword::True,
        Keyword::Does,
        Keyword::Next,
        Keyword::Legal,
        Keyword::Goal,
        Keyword::Terminal,
        Keyword::Base,
        Keyword::Input,
        Keyword::Sees,
    ];

    /// The keyword with this name in lower case.
    pub fn named(folded: &str) -> Option<Keyword> {
        Some(match folded {
            "role" => Keyword::Role,
            "init" => Keyword::Init,
            "true" => Keyword::True,
            "does" => Keyword::Does,
            "next" => Keyword::Next,
            "legal" => Keyword::Legal,
            "goal" => Keyword::Goal,
            "terminal" => Keyword::Terminal,
            "base" => Keyword::Base,
            "input" => Keyword::Input,
            "sees" => Keyword::Sees,
            "distinct" => Keyword::Distinct,
            "not" => Keyword::Not,
            "or" => Keyword::Or,
            "and" => Keyword::And,
            "<=" => Keyword::Implies,
            _ => return None,
        })
    }

    /// The keyword as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Keyword::Role => "role",
            Keyword::Init => "init",
            Keyword::True => "true",
            Keyword::Does => "does",
            Keyword::Next => "next",
            Keyword::Legal => "legal",
            Keyword::Goal => "goal",
            Keyword::Terminal => "terminal",
            Keyword::Base => "base",
            Keyword::Input => "input",
            Keyword::Sees => "sees",
            Keyword::Distinct => "distinct",
            Keyword::Not => "not",
            Keyword::Or => "or",
            Keyword::And => "and",
            Keyword::Implies => "<=",
        }
    }

    /// How many arguments it takes, where that is fixed.
    pub fn arity(self) -> Option<usize> {
        match self {
            Keyword::Terminal => Some(0),
            Keyword::Role | Keyword::Init | Keyword::True | Keyword::Next | Keyword::Base | Keyword::Not => {
                Some(1)
            }
            Keyword::Does
            | Keyword::Legal
            | Keyword::Goal
            | Keyword::Input
            | Keyword::Sees
            | Keyword::Distinct => Some(2),
            Keyword::Or | Keyword::And | Keyword::Implies => None,
        }
    }

    /// How it is used, for messages.
    pub fn usage(self) -> &'static str {
        match self {
            Keyword::Role => "(role r)",
            Keyword::Init => "(init f)",
            Keyword::True => "(true f)",
            Keyword::Does => "(does r m)",
            Keyword::Next => "(next f)",
            Keyword::Legal => "(legal r m)",
            Keyword::Goal => "(goal r v)",
            Keyword::Terminal => "terminal",
            Keyword::Base => "(base f)",
            Keyword::Input => "(input r m)",
            Keyword::Sees => "(sees r p)",
            Keyword::Distinct => "(distinct s t)",
            Keyword::Not => "(not l)",
            Keyword::Or => "(or l …)",
            Keyword::And => "(and l …)",
            Keyword::Implies => "(<= head body …)",
        }
    }

    /// Whether it may stand at a place.
    pub fn may_stand(self, place: Place) -> bool {
        match self {
            Keyword::True | Keyword::Does => place == Place::Body,
            Keyword::Init | Keyword::Next | Keyword::Sees => place == Place::Head,
            Keyword::Distinct | Keyword::Not | Keyword::Or | Keyword::And => place == Place::Body,
            Keyword::Implies => false,
            Keyword::Role
            | Keyword::Legal
            | Keyword::Goal
            | Keyword::Terminal
            | Keyword::Base
            | Keyword::Input => true,
        }
    }
}
