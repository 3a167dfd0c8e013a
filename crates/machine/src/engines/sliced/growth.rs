//! Which components of a network can only grow in the course of a match: what is connected stays connected where stones are only put. All
//! that they rest on are fluents that never go back.

use std::ops::Range;

use groundrules_net::{Changes, Literal, Network, NodeKind};

/// Whether the gates of a component, once true, stay true for the rest of a match. `is_given` tells the fluents that are replaced by a
/// constant: then it is asked of the function of the others.
pub(super) fn grows(
    network: &Network,
    component: &Range<usize>,
    changes: &[Changes],
    is_given: impl Fn(usize) -> bool,
) -> bool {
    let mut seen = vec![[false; 2]; network.node_count()];
    let mut pending: Vec<Literal> =
        component.clone().flat_map(|gate| network.operands(gate)).copied().collect();
    while let Some(literal) = pending.pop() {
        let (node, complemented) = (literal.node(), literal.is_complemented());
        if std::mem::replace(&mut seen[node.index()][usize::from(complemented)], true) {
            continue;
        }
        match network.kind(node) {
            NodeKind::Constant => {}
            NodeKind::Move(_) => return false,
            NodeKind::Fluent(fluent) => {
                let stays = match changes[fluent] {
                    Changes::Never => true,
                    Changes::OnlyOn => !complemented,
                    Changes::OnlyOff => complemented,
                    Changes::Freely => false,
                };
                if !stays && !is_given(fluent) {
                    return false;
                }
            }
            NodeKind::Gate(gate) => {
                let operands = network.operands(gate).iter();
                pending.extend(operands.map(|operand| operand.complemented_if(complemented)));
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use groundrules_gdl::read;
    use groundrules_net::{changes, simplify};

    /// Stones are put on a board; from its first row stones are reached by way of others. Some rules more.
    fn network(more: &str) -> Network {
        let text = format!(
            "(role r) (i 1) (i 2) (i 3) (i 4) (i 5) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
            (<= (beside ?a ?b) (succ ?a ?b)) (<= (beside ?a ?b) (succ ?b ?a))
            (<= (near ?x ?y ?u ?y) (i ?y) (beside ?x ?u)) (<= (near ?x ?y ?x ?v) (i ?x) (beside ?y ?v))
            (<= (legal r (mark ?x ?y)) (i ?x) (i ?y)) (<= (next (stone ?x ?y)) (does r (mark ?x ?y)))
            (<= (reached 1 ?y) (true (stone 1 ?y)))
            (<= (reached ?u ?v) (reached ?x ?y) (near ?x ?y ?u ?v) (free ?u ?v) (true (stone ?u ?v)))
            (<= terminal (reached 5 ?y)) (goal r 100) {more}"
        );
        let game = read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("valid");
        let ground =
            groundrules_ground::ground(&game, &groundrules_ground::Options::default()).expect("small");
        let network = Network::of(&ground).expect("stratified");
        simplify(&network, &groundrules_net::Options::default()).0
    }

    fn all_grow(network: &Network) -> bool {
        let ranges = network.components().iter().map(|range| range.start as usize..range.end as usize);
        let changes = changes(network);
        let mut ranges = ranges.peekable();
        assert!(ranges.peek().is_some(), "there is a component");
        ranges.all(|range| grows(network, &range, &changes, |_| false))
    }

    #[test]
    fn what_rests_on_marks_that_stay_grows() {
        let stays = "(<= (next (stone ?x ?y)) (true (stone ?x ?y)))";
        assert!(all_grow(&network(&format!("{stays} (<= (free ?x ?y) (i ?x) (i ?y))"))));
        // Marks go, or what is reached depends on there being no mark elsewhere.
        let goes = "(<= (next (stone ?x ?y)) (true (stone ?x ?y)) (not (does r (mark 2 2))))
            (<= (free ?x ?y) (i ?x) (i ?y))";
        assert!(!all_grow(&network(goes)));
        let closes = format!("{stays} (<= (free ?x ?y) (i ?x) (i ?y) (not (true (stone 3 3))))");
        assert!(!all_grow(&network(&closes)));
    }
}
