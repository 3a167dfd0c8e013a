//! Why an atom is in the ground game, or is not. The game is grounded with the given options and the atom looked up. If
//! it is absent, the rules are evaluated on the supersets, which shows how far each body can be satisfied. If it could
//! hold and is still absent, grounding again with fewer optimisations shows which of them removed it.

mod answer;
mod contradiction;
mod failure;
mod lookup;
mod names;
mod question;
mod superset;
#[cfg(test)]
mod tests;
mod text;

use groundrules_gdl::Game;
use groundrules_gdl::game::{Atom, RelationId};

pub use answer::{
    Answer, AskedFor, Explanation, Failure, Fault, Hint, ImpossibleAtom, Instance, Presence, RuleAt,
};
pub use question::ExplainError;

use crate::clause::{Predicate, Program};
use crate::functors::Makers;
use crate::ground_game::GroundGame;
use crate::options::{Options, Switch};
use crate::{ground, numbering, passes};
use lookup::Found;
use names::Names;
use question::Question;
use superset::Superset;

/// How many rules of the description or of the ground game are shown.
const MOST_SHOWN: usize = 5;

/// Says why an atom is in the ground game, or is not.
///
/// `base` and `input` of the description say nothing about a ground game; unless rules ask for them, an atom of theirs is
/// read as the `true` or `does` that it is about. A method that grounds by means of its own has no tables to look into, so
/// the default method explains its games.
pub fn explain(game: &Game, options: &Options, atom: &str) -> Result<Explanation, ExplainError> {
    let question = Question::read(game, atom)?;
    let (method, _) = options.method.with_tables();
    let answer = answer(game, &Options { method, ..options.clone() }, &question)?;
    Ok(Explanation { atom: question.text(), answer })
}

fn answer(game: &Game, options: &Options, question: &Question) -> Result<Answer, ExplainError> {
    let ground = ground(game, options)?;
    if let Some(found) = Found::of(&ground, question.name(), &question.arguments, &question.terms) {
        return Ok(found.answer(&ground));
    }
    if let Some(rules) = part_of(game, options, question)? {
        return Ok(Answer::Part { rules });
    }
    let Some(atom) = question.atom() else {
        let names = Names { game, makers: &Makers::of(game), symbols: &question.symbols };
        return Ok(Answer::Never { is_static: false, steps: vec![names.unknown_atom(question)] });
    };
    let mut watch = |_: crate::Progress<'_>| {};
    let mut superset = Superset::of(game, options, question, &mut watch)?;
    if !superset.may_hold(&atom)? {
        let is_static = superset.is_static(&atom);
        return Ok(Answer::Never { is_static, steps: failure::follow(&mut superset, &atom)? });
    }
    if atom.relation == RelationId::INIT {
        return Ok(Answer::First);
    }
    if superset.is_static(&atom) {
        return Ok(Answer::Static);
    }
    let idle = superset.idle_arguments(&atom, options.switches);
    if let Some(found) = shortened(&ground, question, &idle) {
        return Ok(found.answer(&ground));
    }
    let asked = || lookup::asked_for(game, &ground, question, &idle);
    possible(options, question, &mut superset, &atom, &asked)
}

/// The answer for an atom that the rules can make and that is not in the ground game.
fn possible(
    options: &Options,
    question: &Question,
    superset: &mut Superset<'_, '_>,
    atom: &Atom,
    asked: &dyn Fn() -> AskedFor,
) -> Result<Answer, ExplainError> {
    let game = superset.game;
    let find = |ground: &GroundGame| Found::of(ground, question.name(), &question.arguments, &question.terms);
    let switches = options.switches.without(Switch::Demand).without(Switch::Arguments);
    let everything = ground(game, &Options { switches, ..options.clone() })?;
    if let Some(found) = find(&everything) {
        return Ok(match found.answer(&everything) {
            Answer::Always { rule, .. } => Answer::Always { is_kept: false, rule },
            _ => Answer::NotAsked(asked()),
        });
    }
    if switches.has(Switch::Exclusion) {
        let switches = switches.without(Switch::Exclusion);
        let without = ground(game, &Options { switches, ..options.clone() })?;
        if let Some(found) = find(&without) {
            return Ok(Answer::Excluded { rules: found.rules(&without).1 });
        }
    }
    Ok(Answer::Contradicted { instances: contradiction::instances(superset, atom, &everything)? })
}

/// The atom as it is written when the arguments are left out that never matter.
fn shortened(ground: &GroundGame, question: &Question, idle: &[bool]) -> Option<Found> {
    if !idle.contains(&true) {
        return None;
    }
    let kept = question.arguments.iter().zip(idle).filter(|(_, is_idle)| !**is_idle);
    let kept: Vec<_> = kept.map(|(&argument, _)| argument).collect();
    Found::of(ground, question.name(), &kept, &question.terms)
}

/// The rules whose bodies a part comes from, if the atom has the name of a part.
fn part_of(game: &Game, options: &Options, question: &Question) -> Result<Option<Vec<RuleAt>>, ExplainError> {
    let name = question.name().to_ascii_lowercase();
    let number = name.strip_prefix(&numbering::free_prefix(game)).and_then(|rest| rest.parse::<u32>().ok());
    let Some(number) = number else { return Ok(None) };
    let mut program = Program::of(game)?;
    passes::rewrite(game, &mut program, options.switches);
    let Some(part) = program.predicates.get_index_of(&Predicate::Auxiliary(number)) else { return Ok(None) };
    let clauses = program.clauses.iter().filter(|clause| clause.head.predicate.index() == part);
    let mut rules: Vec<usize> = clauses.map(|clause| clause.rule).collect();
    rules.dedup();
    Ok(Some(rules.into_iter().take(MOST_SHOWN).map(|rule| RuleAt::of(game, rule)).collect()))
}

/// The rules of the description whose bodies ask for a relation.
fn asking_rules(game: &Game, relation: RelationId) -> Vec<usize> {
    let asks = |atom: &Atom| atom.relation == relation;
    let rules = game.rules().iter().enumerate();
    let rules = rules.filter(|(_, rule)| rule.literals().any(|literal| literal.atom().is_some_and(asks)));
    rules.map(|(index, _)| index).collect()
}
