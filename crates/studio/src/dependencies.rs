//! The graph of dependencies: the relations of a description and what their rules ask for.

use groundrules_analysis::Reading;
use groundrules_gdl::Dependencies;
use serde_json::{Value, json};

use crate::limits::MOST_SHOWN;
use crate::session::Answer;

pub(crate) fn of(reading: &Reading) -> Answer {
    let game = reading.checked().game.as_ref().ok_or("the description has errors")?;
    let dependencies = Dependencies::of(game);
    let shown: Vec<_> = game
        .relations()
        .filter(|(_, relation)| relation.defined.is_some())
        .map(|(id, _)| id)
        .take(MOST_SHOWN)
        .collect();
    let nodes: Vec<Value> = shown
        .iter()
        .map(|&id| {
            json!({
                "name": game.relation_name(id),
                "dynamic": dependencies.is_dynamic(id),
                "recursive": dependencies.is_recursive(id),
                "keyword": id.keyword().is_some(),
                "rules": game.rules_of(id).count(),
            })
        })
        .collect();
    let mut edges = Vec::new();
    for (from, &id) in shown.iter().enumerate() {
        let mut targets: Vec<(usize, bool)> = dependencies
            .edges(id)
            .iter()
            .filter_map(|edge| Some((shown.iter().position(|&other| other == edge.to)?, edge.positive)))
            .collect();
        targets.sort_unstable();
        targets.dedup();
        edges.extend(targets.into_iter().map(|(to, positive)| json!([from, to, positive])));
    }
    Ok(json!({ "nodes": nodes, "edges": edges }))
}
