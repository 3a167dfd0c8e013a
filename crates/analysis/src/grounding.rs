//! What only grounding knows: how many instances each rule has, and which rule makes the grounding too large. It may take
//! long, so it runs within limits, where the caller likes: in the background of an editor, in a worker of a page.

use groundrules_gdl::codes::GROUNDING_TOO_LARGE;
use groundrules_gdl::{Diagnostic, Game, Span};
use groundrules_ground::{GroundError, GroundGame, Options, ground_watched};

use crate::reading::Reading;

/// What a grounding came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grounding {
    /// Fluents that may ever hold.
    pub fluents: usize,
    /// Moves that may ever be legal.
    pub moves: usize,
    /// Ground rules.
    pub rules: usize,
    /// The instances of each form, by its index; nothing for a form that is no rule.
    instances: Vec<Option<u64>>,
}

impl Grounding {
    /// What a ground game says about the description that it comes from.
    pub fn of(game: &Game, ground: &GroundGame) -> Self {
        let tree = game.tree();
        let mut instances = vec![None; tree.forms().len()];
        for (rule, made) in game.rules().iter().zip(&ground.made_by_rule) {
            let start = tree.span(rule.node).start;
            if let Ok(form) = tree.forms().binary_search_by_key(&start, |&form| tree.span(form).start) {
                instances[form] = Some(if made.rules > 0 { made.rules } else { made.atoms });
            }
        }
        Grounding {
            fluents: ground.fluents.len(),
            moves: ground.moves.len(),
            rules: ground.rules().len(),
            instances,
        }
    }

    /// How many instances the form with an index has.
    pub fn instances(&self, form: usize) -> Option<u64> {
        self.instances.get(form).copied().flatten()
    }

    /// The forms with their instances.
    pub fn by_form(&self) -> impl Iterator<Item = (usize, u64)> {
        self.instances.iter().enumerate().filter_map(|(form, &count)| Some((form, count?)))
    }
}

/// Grounds what was read, if it is valid. `watch` is called now and then.
pub fn ground(
    reading: &Reading,
    options: &Options,
    watch: &mut dyn FnMut(),
) -> Option<Result<GroundGame, Diagnostic>> {
    let game = reading.checked().game.as_ref()?;
    let result = ground_watched(game, options, &mut |_| watch());
    Some(result.map_err(|error| too_large(game, &error)))
}

/// The warning at the rule that is to blame, with the numbers.
fn too_large(game: &Game, error: &GroundError) -> Diagnostic {
    let rule = error.rule().and_then(|rule| game.rules().get(rule));
    let span = rule.map_or(Span::default(), |rule| game.span(rule.head_node));
    let mut diagnostic =
        Diagnostic::new(&GROUNDING_TOO_LARGE, span, format!("the game could not be grounded: {error}"));
    if let Some(blame) = error.blame() {
        diagnostic = diagnostic.here("most of the work was for this rule").help(blame.to_string());
    }
    diagnostic
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;
    use groundrules_ground::Limits;

    const TEXT: &str = "(role a) (n 1) (n 2) (n 3) (init (at 1))
        (<= (legal a (go ?x)) (n ?x)) (<= (next (at ?x)) (does a (go ?x)))
        (<= (q ?a ?b ?c ?d) (true (at ?a)) (n ?b) (n ?c) (n ?d))
        (<= terminal (q ?a ?b ?c ?d)) (goal a 100)";

    #[test]
    fn instances_belong_to_forms() {
        let document = Document::new(TEXT.to_owned());
        let ground =
            ground(document.reading(), &Options::default(), &mut || {}).expect("valid").expect("small");
        let game = document.reading().checked().game.as_ref().expect("valid");
        let known = Grounding::of(game, &ground);
        assert_eq!((known.moves, known.instances(5)), (3, Some(3)), "{known:?}");
    }

    #[test]
    fn the_rule_to_blame_is_named() {
        let document =
            Document::new(TEXT.replace("(n 3)", &(3..60).map(|n| format!("(n {n})")).collect::<String>()));
        let mut limits = Limits::default();
        (limits.rules, limits.atoms) = (1_000, 5_000);
        let options = Options { limits, ..Options::default() };
        let result = ground(document.reading(), &options, &mut || {}).expect("valid");
        if let Err(warning) = result {
            assert_eq!(warning.code.id, "G701");
            assert!(warning.help.iter().any(|help| help.contains("values")), "{warning:?}");
        }
    }

    #[test]
    fn what_is_not_valid_is_not_grounded() {
        let document = Document::new("(role".to_owned());
        assert!(ground(document.reading(), &Options::default(), &mut || {}).is_none());
    }
}
