//! A textual dump of the tree, for users who wonder why a game is slow: each OR node with its queries, and the
//! conditions of its rules in the order in which they are merged.

use std::fmt::Write;

use super::build::Demand;
use super::node::{Access, AndStep, Merge, Recursion, Source, Value};
use super::prove::Prover;
use super::set_up::Prepared;

/// The tree in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeFigures {
    /// OR nodes: relations with patterns of known columns.
    pub or_nodes: usize,
    /// AND nodes: rules as OR nodes use them.
    pub and_nodes: usize,
    /// Rows waiting for their own recursion stand at so many places.
    pub recurrent_calls: usize,
    /// OR nodes that a filter is passed to.
    pub filters: usize,
    /// Filters that turned out useless and were removed.
    pub filters_removed: usize,
    /// Rows of facts and of static relations that were computed.
    pub static_rows: usize,
    /// How often the tree was built again with what was measured.
    pub rebuilt: usize,
    /// About how many bytes are in use.
    pub bytes: usize,
}

/// Counts the tree.
pub(super) fn figures(plan: &Prepared, prover: &Prover, rebuilt: usize) -> TreeFigures {
    let tables =
        plan.table_of.iter().enumerate().filter_map(|(predicate, table)| Some((predicate, (*table)?)));
    let is_static = |&(predicate, _): &(usize, usize)| {
        plan.program.predicates[predicate].level == super::program::Level::Static
    };
    TreeFigures {
        or_nodes: plan.tree.ors.len(),
        and_nodes: plan.tree.ands.len(),
        recurrent_calls: plan.tree.consumers.len(),
        filters: plan.tree.ors.iter().filter(|or| !or.key.is_empty()).count(),
        filters_removed: plan.useless.len(),
        static_rows: tables.filter(is_static).map(|(_, table)| prover.tables[table].len() as usize).sum(),
        rebuilt,
        bytes: prover.bytes(),
    }
}

/// Describes the tree.
pub(super) fn describe(plan: &Prepared, prover: &Prover) -> String {
    let mut order: Vec<usize> = (0..plan.tree.ors.len()).collect();
    order.sort_by_key(|&or| std::cmp::Reverse(prover.count(or).steps));
    let mut out = String::new();
    for or in order {
        let node = &plan.tree.ors[or];
        let count = prover.count(or);
        let columns: String = node.demand.iter().map(demand).collect();
        let recursion = match node.recursion {
            Recursion::None => "",
            Recursion::Positive => ", recursive",
            Recursion::Negated => ", recursive through negation",
        };
        // A string can always be written to.
        let _ = writeln!(
            out,
            "{} {columns}{recursion}: {} visits, {} questions, {} answers, {} steps",
            plan.tree.names[or], count.visits, count.questions, count.answers, count.steps
        );
        for &and in &node.ands {
            let and = &plan.tree.ands[and];
            let entry: Vec<String> = and.entry.iter().map(|place| format!("k{place}")).collect();
            let _ = write!(out, "    [{}]", entry.join(" "));
            write_steps(plan, &and.steps, &mut out);
            let _ = writeln!(out, " -> {}", values(&and.head));
        }
    }
    out
}

fn demand(column: &Demand) -> char {
    match column {
        Demand::Constant(_) => 'c',
        Demand::Bound => 'b',
        Demand::Free => 'f',
    }
}

fn values(values: &[Value]) -> String {
    let of_one = |value: &Value| match value {
        Value::Slot(slot) => format!("s{slot}"),
        Value::Constant(value) => format!("'{value}"),
    };
    values.iter().map(of_one).collect::<Vec<_>>().join(" ")
}

fn source(plan: &Prepared, access: &Access) -> String {
    match access.source {
        Source::Or(or) => {
            let node = &plan.tree.ors[or];
            format!("{} {}", plan.tree.names[or], node.demand.iter().map(demand).collect::<String>())
        }
        Source::Table(table) => {
            let predicate = plan.table_of.iter().position(|&it| it == Some(table));
            predicate.map_or("facts".to_owned(), |it| format!("*{}", plan.program.predicates[it].name))
        }
    }
}

fn write_steps(plan: &Prepared, steps: &[AndStep], out: &mut String) {
    for step in steps {
        let _ = match step {
            AndStep::Join { access, merge, take, .. } => {
                write!(out, " {merge:?}({} {}; {})", source(plan, access), values(&access.key), take.len())
            }
            AndStep::Test { access, merge, negated } => {
                let kind = match (merge, negated) {
                    (Merge::Check, true) => "CheckNOT",
                    (_, true) => "VerifyNOT",
                    (Merge::Check, false) => "Check",
                    (_, false) => "Verify",
                };
                write!(out, " {kind}({} {})", source(plan, access), values(&access.key))
            }
            AndStep::Compare { equal, .. } => write!(out, " {}", if *equal { "Equal" } else { "Distinct" }),
            AndStep::TakeApart { .. } => write!(out, " TakeApart"),
            AndStep::PutTogether { .. } => write!(out, " PutTogether"),
            AndStep::Or { alternatives, .. } => {
                out.push_str(" OR(");
                for alternative in alternatives {
                    out.push_str(" {");
                    write_steps(plan, &alternative.steps, out);
                    out.push_str(" }");
                }
                write!(out, " )")
            }
        };
    }
}
