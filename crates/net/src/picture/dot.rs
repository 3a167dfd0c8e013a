//! Writes a picture for Graphviz, a cluster for each group.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Picture, Shape};
use crate::gates::Kind;

pub(super) fn write(picture: &Picture) -> String {
    let mut text = format!(
        "digraph \"{}\" {{\n  rankdir=LR; ranksep=1; nodesep=0.08;\n  \
         label=\"box: fluent; arrow: move; &: all of its inputs; ≥1: any of its inputs; bold: next, legal, goal, terminal; \
         dashed: negated\"; fontsize=9;\n  \
         node [fontsize=10, height=0.2, margin=\"0.06,0.02\"];\n  edge [arrowsize=0.4, color=\"#777777\"];\n",
        escaped(&picture.title)
    );
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, node) in picture.nodes.iter().enumerate() {
        groups.entry(&node.group).or_default().push(number);
    }
    for (number, (group, members)) in groups.iter().enumerate() {
        let clustered = !group.is_empty();
        if clustered {
            let label = escaped(group);
            let _ =
                writeln!(text, "  subgraph cluster_{number} {{\n    label=\"{label}\"; color=\"#bbbbbb\";");
        }
        for &member in members {
            let node = &picture.nodes[member];
            let (shape, sign) = match node.shape {
                Shape::Fluent => ("box", ""),
                Shape::Move => ("cds", ""),
                Shape::Gate(Kind::And) => ("ellipse", "&"),
                Shape::Gate(Kind::Or) => ("ellipse", "≥1"),
                Shape::Output => ("box", ""),
            };
            let bold = if node.is_output { ", style=bold" } else { "" };
            let label = [sign, &node.label].into_iter().filter(|part| !part.is_empty());
            let label = escaped(&label.collect::<Vec<_>>().join(" "));
            let _ = writeln!(text, "    n{member} [shape={shape}{bold}, label=\"{label}\"];");
        }
        if clustered {
            text.push_str("  }\n");
        }
    }
    for &(from, to, complement) in &picture.edges {
        let style = if complement { " [arrowhead=odot, style=dashed]" } else { "" };
        let _ = writeln!(text, "  n{from} -> n{to}{style};");
    }
    text.push_str("}\n");
    text
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
