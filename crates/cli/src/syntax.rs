//! The syntax of a description on the command line.

use groundrules_gdl::Syntax;

/// How a description is written.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SyntaxName {
    /// KIF: `(<= (legal ?w noop) (role ?w))`.
    Kif,
    /// Infix syntax, close to Prolog's: `legal(W, noop) :- role(W)`.
    #[value(alias = "infix", alias = "prolog")]
    Hrf,
}

impl From<SyntaxName> for Syntax {
    fn from(name: SyntaxName) -> Syntax {
        match name {
            SyntaxName::Kif => Syntax::Kif,
            SyntaxName::Hrf => Syntax::Infix,
        }
    }
}
