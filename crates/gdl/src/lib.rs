//! Reading, checking, formatting and classifying descriptions in GDL, the Game Description Language.
//!
//! Bytes go in at one end and a [`Game`] comes out at the other, by these stages, each knowing only those before it:
//! [`syntax`] makes a tree of lists and words with exact spans; [`game`] makes rules of it; [`dependency`] draws which
//! relation depends on which; [`fragment`] says whether terms can grow without end; `checks` judge the rules;
//! [`figures`] counts; [`levels`] says how diagnostics are to be reported. [`read`] runs them all. Beside this road stand [`mod@format`], which lays a text out,
//! [`turing`], which writes Turing machines as games, and [`trace`], recorded matches by which engines are judged.
//!
//! A faulty description is data, not an error: reading always succeeds and returns diagnostics. Nothing here evaluates
//! rules, reads files or prints; that is left to later crates and to the program.
//!
//! ```
//! use groundrules_gdl::{Options, Verdict, read};
//!
//! let text = "(role you) (init (step 1)) (legal you wait) (<= (next (step 2)) (true (step 1)))
//!             (<= terminal (true (step 2))) (goal you 100)";
//! let checked = read(text.as_bytes(), &Options::default());
//! assert_eq!(checked.verdict, Verdict::Propositional);
//! assert!(checked.diagnostics.is_empty());
//! ```

mod canonical;
pub(crate) mod checks;
pub mod codes;
pub mod components;
pub mod dependency;
pub mod diagnostic;
pub mod figures;
pub mod fix;
pub mod format;
pub mod fragment;
pub mod game;
pub mod goals;
pub mod index;
pub mod keyword;
pub mod levels;
pub mod limits;
pub mod nearest;
pub mod packed;
mod restriction;
pub mod roles;
mod scope;
pub mod span;
pub mod symbol;
pub mod syntax;
pub mod term;
#[cfg(test)]
mod testing;
pub mod time;
pub mod trace;
pub mod turing;
mod unify;
mod verdict;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use canonical::canonical;
pub use dependency::Dependencies;
pub use diagnostic::{Code, Diagnostic, Diagnostics, Label, Severity};
pub use figures::Figures;
pub use fix::{Edit, Fix};
pub use game::Game;
pub use levels::{Level, Levels};
pub use limits::Limits;
pub use roles::Roles;
pub use span::{Lines, Position, Span};
pub use verdict::Verdict;

use syntax::Tree;

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What reading and checking may use.
    pub limits: Limits,
    /// Forgive what does no harm here: one name with several arities, and recursion that breaks the letter of the
    /// restriction but cannot grow.
    pub lenient: bool,
    /// How the text is written.
    pub syntax: Syntax,
}

/// How a description is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// KIF: lists in parentheses.
    #[default]
    Kif,
    /// Infix syntax (HRF), close to Prolog's: see [`syntax::parse_infix`].
    Infix,
}

/// What there is to know about a description before anything is evaluated.
#[derive(Debug)]
pub struct Checked {
    /// The fragment.
    pub verdict: Verdict,
    /// Why the description is in no smaller fragment, where that takes an explanation.
    pub reason: Option<String>,
    /// What was found, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The levels that comments of the text set for diagnostics. They are not applied to `diagnostics`.
    pub levels: Levels,
    /// How many further diagnostics of a code were counted and not kept.
    pub omitted: BTreeMap<&'static str, usize>,
    /// The description in numbers.
    pub figures: Figures,
    /// The game, if the description is valid.
    pub game: Option<Game>,
    /// The lists and words of a description that is not valid; those of a valid one are the game's.
    faulty: Option<Tree>,
}

impl Checked {
    /// The lists and words of the text, whether the description is valid or not.
    pub fn tree(&self) -> &Tree {
        static EMPTY: LazyLock<Tree> = LazyLock::new(Tree::default);
        let tree = self.game.as_ref().map(Game::tree).or(self.faulty.as_ref());
        // A valid description has a game, and any other one its tree.
        tree.unwrap_or(&EMPTY)
    }
}

/// Reads a description and checks it.
pub fn read(text: &[u8], options: &Options) -> Checked {
    let mut diagnostics = Diagnostics::new(options.limits.diagnostics_per_code);
    let tree = match options.syntax {
        Syntax::Kif => syntax::parse(text, &options.limits, &mut diagnostics),
        Syntax::Infix => syntax::parse_infix(text, &options.limits, &mut diagnostics),
    };
    let levels = Levels::in_comments(text, tree.comments(), &mut diagnostics);
    let mut game = game::build(tree, &options.limits, options.lenient, &mut diagnostics);
    let dependencies = Dependencies::of(&game);
    let boundedness = fragment::Boundedness::of(&game, options.limits.steps);
    let subject = checks::Subject {
        game: &game,
        dependencies: &dependencies,
        limits: &options.limits,
        lenient: options.lenient,
        bounded: matches!(boundedness, fragment::Boundedness::Bounded),
    };
    checks::run_all(&subject, &mut diagnostics);
    report_other_syntax(text, options.syntax, &mut diagnostics);
    let (verdict, reason) = judge(&game, boundedness, &mut diagnostics);
    let figures = Figures::of(&game, &dependencies);
    let omitted = diagnostics.omitted();
    game.set_verdict(verdict);
    let (game, faulty) = if verdict.is_valid() { (Some(game), None) } else { (None, Some(game.into_tree())) };
    let mut diagnostics = diagnostics.into_sorted();
    if options.syntax != Syntax::Kif {
        // Fixes are written in KIF.
        diagnostics.iter_mut().for_each(|diagnostic| diagnostic.fixes.clear());
    }
    Checked { verdict, reason, diagnostics, levels, omitted, figures, game, faulty }
}

/// Replaces the errors of a text in another syntax, which are many, by the one that says so.
fn report_other_syntax(text: &[u8], syntax: Syntax, diagnostics: &mut Diagnostics) {
    if syntax == Syntax::Kif
        && diagnostics.has_errors()
        && let Some(diagnostic) = syntax::looks_infix(text)
    {
        diagnostics.clear();
        diagnostics.push(diagnostic);
    }
}

fn judge(
    game: &Game,
    boundedness: fragment::Boundedness,
    diagnostics: &mut Diagnostics,
) -> (Verdict, Option<String>) {
    let grows = match boundedness {
        fragment::Boundedness::Bounded => None,
        fragment::Boundedness::Grows(diagnostic) | fragment::Boundedness::Undecided(diagnostic) => {
            Some(diagnostic)
        }
    };
    let reason = grows.as_ref().map(|diagnostic| diagnostic.message.clone());
    let is_bounded = grows.is_none();
    grows.into_iter().for_each(|diagnostic| diagnostics.push(diagnostic));
    if diagnostics.has_errors() {
        return (Verdict::NotGdl, diagnostics.first_error());
    }
    let has_variable = game.rules().iter().any(|rule| uses_variables(game, rule));
    let verdict = match (has_variable, is_bounded) {
        (false, _) => Verdict::Propositional,
        (true, true) => Verdict::Bounded,
        (true, false) => Verdict::Valid,
    };
    (verdict, reason)
}

fn uses_variables(game: &Game, rule: &game::Rule) -> bool {
    let ground = |terms: &[term::TermId]| terms.iter().all(|&term| game.terms().is_ground(term));
    !ground(&rule.head.arguments) || rule.literals().any(|literal| !ground(literal.terms()))
}
