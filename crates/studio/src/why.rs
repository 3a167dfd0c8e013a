//! Why an atom holds in the current state, or does not: its proof from the ground rules, or for each rule the condition that
//! fails. The game is grounded once more for this, with as few rewritings as possible, so that the rules are those of the
//! description. What can never hold is explained by `ground::explain`.

use groundrules_gdl::canonical;
use groundrules_gdl::time::Cancel;
use groundrules_ground::evaluator::Evaluator;
use groundrules_ground::explain::explain;
use groundrules_ground::ground_game::{AtomId, AtomKind, GroundLiteral};
use groundrules_ground::{GroundGame, Limits, Options, Switch, Switches, ground};
use serde_json::{Value, json};

use crate::session::{Answer, sentence};
use crate::table::Table;

/// How deep proofs are shown, how many nodes they have, and how many rules that fail.
const DEEPEST: usize = 14;
const MOST_NODES: usize = 250;
const MOST_RULES: usize = 8;

/// What grounding for this may take.
fn options(cancel: &Cancel) -> Options {
    let mut limits = Limits::default().cancelled_by(cancel);
    (limits.rules, limits.atoms, limits.tries, limits.bytes) = (600_000, 1_000_000, 20_000_000, 500 << 20);
    Options { switches: Switches::default().only(&[Switch::Demand]), limits, ..Options::default() }
}

/// Why an atom holds or does not.
pub(crate) fn why(table: &Table, atom: &str) -> Answer {
    let asked = canonical(atom.trim())
        .ok_or_else(|| format!("`{atom}` is no atom: write it as (legal white (mark 1 1))"))?;
    let game = ground(table.compiled.game(), &options(table.compiled.cancel())).map_err(sentence)?;
    let found =
        (0..game.atom_count()).map(|index| atom_at(&game, index)).find(|&atom| is_named(&game, atom, &asked));
    let Some(found) = found else {
        let explained =
            explain(table.compiled.game(), &options(table.compiled.cancel()), atom).map_err(sentence)?;
        return Ok(json!({ "atom": asked, "text": explained.to_string() }));
    };
    let evaluator = Evaluator::new(&game).map_err(sentence)?;
    let fluents = table.machine.fluents();
    let state: Vec<usize> = (0..game.fluents.len())
        .filter(|&fluent| fluents.binary_search(&game.term(game.fluents[fluent])).is_ok())
        .collect();
    let holds = evaluator.model(&state, &[]);
    let mut rules: Vec<Vec<(AtomId, &[GroundLiteral])>> = vec![Vec::new(); game.atom_count()];
    game.rules().for_each(|(head, body)| rules[head.index()].push((head, body)));
    let mut proof = Proof { game: &game, holds: &holds, rules: &rules, path: Vec::new(), left: MOST_NODES };
    Ok(json!({ "atom": game.atom_kif(found), "holds": holds[found.index()], "proof": proof.node(found) }))
}

fn atom_at(game: &GroundGame, index: usize) -> AtomId {
    let (fluents, moves) = (game.fluents.len(), game.moves.len());
    game.atom(match index {
        _ if index < fluents => AtomKind::True(index),
        _ if index < fluents + moves => AtomKind::Does(index - fluents),
        _ if index < 2 * fluents + moves => AtomKind::Next(index - fluents - moves),
        _ if index < 2 * (fluents + moves) => AtomKind::Legal(index - 2 * fluents - moves),
        _ => AtomKind::Derived(index - 2 * (fluents + moves)),
    })
}

/// Whether a text names an atom; a fluent alone stands for what is true.
fn is_named(game: &GroundGame, atom: AtomId, asked: &str) -> bool {
    let matches = |text: &str| canonical(text).is_some_and(|text| text == asked);
    match game.kind(atom) {
        AtomKind::True(fluent) if matches(&game.term(game.fluents[fluent])) => true,
        _ => matches(&game.atom_kif(atom)),
    }
}

struct Proof<'g> {
    game: &'g GroundGame,
    holds: &'g [bool],
    rules: &'g [Vec<(AtomId, &'g [GroundLiteral])>],
    path: Vec<AtomId>,
    left: usize,
}

impl Proof<'_> {
    fn node(&mut self, atom: AtomId) -> Value {
        self.left = self.left.saturating_sub(1);
        let holds = self.holds[atom.index()];
        let text = self.game.atom_kif(atom);
        let leaf = |said: &str| json!({ "atom": text, "holds": holds, "said": said });
        match self.game.kind(atom) {
            AtomKind::True(_) => {
                return leaf(if holds { "it holds in this state" } else { "it does not hold in this state" });
            }
            AtomKind::Does(_) => return leaf("nobody has moved yet in this state"),
            _ => {}
        }
        if self.path.contains(&atom) {
            return leaf("see above");
        }
        if self.left == 0 || self.path.len() >= DEEPEST {
            return leaf("…");
        }
        self.path.push(atom);
        let rules = &self.rules[atom.index()];
        let shown: Vec<Value> = if holds {
            // A rule whose conditions do not go back to what is being proved is the better reason.
            let satisfied =
                || rules.iter().filter(|(_, body)| body.iter().all(|&literal| self.is_satisfied(literal)));
            let straight =
                |body: &[GroundLiteral]| body.iter().all(|literal| !self.path.contains(&literal.atom()));
            let best = satisfied().find(|(_, body)| straight(body)).or_else(|| satisfied().next()).copied();
            best.into_iter().map(|(head, body)| self.rule(head, body, true)).collect()
        } else {
            rules.iter().take(MOST_RULES).map(|&(head, body)| self.rule(head, body, false)).collect()
        };
        self.path.pop();
        let more = if holds { 0 } else { rules.len().saturating_sub(MOST_RULES) };
        json!({ "atom": text, "holds": holds, "rules": shown, "more": more })
    }

    fn is_satisfied(&self, literal: GroundLiteral) -> bool {
        self.holds[literal.atom().index()] == literal.is_positive()
    }

    fn rule(&mut self, head: AtomId, body: &[GroundLiteral], holds: bool) -> Value {
        let mut literals = Vec::new();
        let mut explained = false;
        for &literal in body {
            let satisfied = self.is_satisfied(literal);
            let atom = self.game.atom_kif(literal.atom());
            let text = if literal.is_positive() { atom } else { format!("(not {atom})") };
            // Of a rule that fails, the first condition that fails is the reason.
            let goes_on = if holds { true } else { !satisfied && !explained };
            explained |= !satisfied;
            let child = (goes_on && self.left > 0).then(|| self.node(literal.atom()));
            literals.push(json!({ "text": text, "satisfied": satisfied, "because": child }));
        }
        json!({ "rule": self.game.rule_kif(head, body), "literals": literals })
    }
}
