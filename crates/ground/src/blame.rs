//! Names the variables to blame when a grounding grows too large. The store knows the rule; here its variables get the
//! number of values that each can have, so that a user sees which of them multiply.

use groundrules_gdl::Game;

use crate::clause::{Clause, Pattern, Program};
use crate::error::GroundError;
use crate::store::Store;

/// The error with the variables of the rule that is to blame.
pub(crate) fn named(
    mut error: GroundError,
    game: &Game,
    program: &Program,
    store: &mut Store<'_>,
) -> GroundError {
    const MOST_NAMED: usize = 6;
    if let GroundError::Limit { blame, .. } | GroundError::Depth { blame, .. } = &mut error {
        let mut values: indexmap::IndexMap<String, u32> = indexmap::IndexMap::new();
        for clause in program.clauses.iter().filter(|clause| clause.rule == blame.rule) {
            for (variable, symbol) in clause.variables.iter().enumerate() {
                let name = game.symbols().spelling(*symbol).to_string();
                let count = choices(&clause.whole(), variable, store);
                let known = values.entry(name).or_insert(0);
                *known = count.map_or(*known, |count| count.max(*known));
            }
        }
        blame.variables = values.into_iter().filter(|(_, count)| *count > 1).collect();
        blame.variables.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        blame.variables.truncate(MOST_NAMED);
    }
    error
}

/// How many values a variable can have, by the literal that allows the fewest.
fn choices(clause: &Clause, variable: usize, store: &mut Store<'_>) -> Option<u32> {
    let mut fewest: Option<u32> = None;
    for atom in &clause.body.positive {
        for (column, pattern) in atom.columns.iter().enumerate() {
            if *pattern == Pattern::Variable(variable) && !store.is_lazy(atom.predicate.index()) {
                let count = store.tables[atom.predicate.index()].spread(column);
                fewest = Some(fewest.map_or(count, |known| known.min(count)));
            }
        }
    }
    fewest
}
