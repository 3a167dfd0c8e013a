//! A table as a decision diagram: its rows are read column by column, and beginnings that the same ends complete are
//! one. The rows in which nine marks are all different are 362,880; but a beginning matters only by which marks are in
//! it, so the steps from one beginning to the next are 2,304. Each column becomes a table of its steps, and a chain of
//! such tables says what the table said.

use groundrules_gdl::index::index32;
use groundrules_gdl::symbol::Symbol;
use groundrules_gdl::term::TermId;
use rustc_hash::FxHashMap;

use crate::clause::{PredicateId, Program};
use crate::error::Halt;
use crate::store::Store;
use crate::table::Table;

/// The values that lead on from a beginning, and the kinds of beginnings to which they lead.
type Edges = Vec<(TermId, u32)>;

/// The beginnings of one length.
#[derive(Default)]
struct Layer {
    known: FxHashMap<Edges, u32>,
    /// Of each kind of beginnings the steps, and the first that is of this kind.
    kinds: Vec<(Edges, Box<[TermId]>)>,
}

/// A table as a diagram; the layers are the columns.
pub(crate) struct Diagram {
    layers: Vec<Layer>,
}

impl Diagram {
    /// The diagram of a table, if it is much smaller.
    pub(crate) fn of(table: &Table) -> Option<Self> {
        const SMALLER: usize = 4;
        let mut rows: Vec<&[TermId]> = (0..table.len()).map(|row| table.row(row)).collect();
        rows.sort_unstable();
        let mut diagram = Diagram { layers: (0..table.arity()).map(|_| Layer::default()).collect() };
        diagram.kind(&rows, 0);
        let steps: usize = { diagram.layers.iter() }
            .map(|layer| layer.kinds.iter().map(|(steps, _)| steps.len()).sum::<usize>())
            .sum();
        (table.arity() > 2 && steps.saturating_mul(SMALLER) < rows.len()).then_some(diagram)
    }

    /// The kind of the beginning that sorted rows share.
    fn kind(&mut self, rows: &[&[TermId]], column: usize) -> u32 {
        if column == self.layers.len() {
            return 0;
        }
        let steps: Edges = rows
            .chunk_by(|a, b| a[column] == b[column])
            .map(|rows| (rows[0][column], self.kind(rows, column + 1)))
            .collect();
        let Layer { known, kinds } = &mut self.layers[column];
        if let Some(&kind) = known.get(&steps) {
            return kind;
        }
        let kind = index32(kinds.len(), "kinds of steps");
        let beginning = rows.first().map_or(&[][..], |row| &row[..column]);
        kinds.push((steps.clone(), beginning.into()));
        known.insert(steps, kind);
        kind
    }
}

/// Writes a diagram out as tables: where one comes from, the value, and where it leads; there is but one first and one
/// last beginning, and they are left out. A beginning is named by the first of its kind.
pub(crate) fn write_out(
    diagram: &Diagram,
    name: Symbol,
    program: &mut Program,
    store: &mut Store<'_>,
) -> Result<Vec<PredicateId>, Halt> {
    let mut predicates = Vec::new();
    let mut names: Vec<TermId> = Vec::new();
    for (column, layer) in diagram.layers.iter().enumerate() {
        let next = diagram.layers.get(column + 1).map_or(&[][..], |next| &next.kinds[..]);
        let next: Vec<TermId> =
            next.iter().map(|(_, beginning)| store.terms.intern_function(name, beginning)).collect();
        let arity = 1 + usize::from(!names.is_empty()) + usize::from(!next.is_empty());
        let predicate = program.static_part(arity);
        store.add_predicates(program);
        for (from, (steps, _)) in layer.kinds.iter().enumerate() {
            for &(value, to) in steps {
                let step = [names.get(from).copied(), Some(value), next.get(to as usize).copied()];
                let tuple: Vec<TermId> = step.into_iter().flatten().collect();
                store.insert(predicate.index(), &tuple)?;
            }
        }
        predicates.push(predicate);
        names = next;
    }
    Ok(predicates)
}
