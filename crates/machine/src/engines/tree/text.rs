//! Conversion between values and KIF. The numbers that a machine computes with have a meaning only in their domain.
//! Nothing recurses along the nesting of terms.

use groundrules_gdl::diagnostic::Diagnostics;
use groundrules_gdl::limits::Limits;
use groundrules_gdl::symbol::Symbols;
use groundrules_gdl::syntax::{self, NodeId, Tree};

use super::domains::{DomainId, Domains, Form, Functor};
use super::terms::Terms;

/// The number of a name in a domain: constants first, then functions, from 1 on.
pub(super) fn name_number(domains: &Domains, domain: DomainId, functor: Functor) -> Option<u32> {
    let constants = domains.constants(domain);
    let place = match functor.1 {
        0 => constants.get_index_of(&functor.0)?,
        _ => constants.len() + domains.functions(domain).get_index_of(&functor)?,
    };
    u32::try_from(place + 1).ok()
}

/// The name with a number in a domain.
fn name_at(domains: &Domains, domain: DomainId, number: u32) -> Option<Functor> {
    let place = (number as usize).checked_sub(1)?;
    let constants = domains.constants(domain);
    match constants.get_index(place) {
        Some(&name) => Some((name, 0)),
        None => domains.functions(domain).get_index(place - constants.len()).map(|(&functor, _)| functor),
    }
}

/// What turns values into text and back.
#[derive(Clone, Copy)]
pub(super) struct Writer<'a> {
    pub(super) domains: &'a Domains,
    pub(super) symbols: &'a Symbols,
    pub(super) terms: &'a Terms,
}

enum Piece<'v> {
    Value(DomainId, &'v [u32]),
    Space,
    Close,
}

impl Writer<'_> {
    /// Writes the value of a domain that some columns give.
    pub(super) fn write(&self, domain: DomainId, columns: &[u32], out: &mut String) {
        let mut pending = vec![Piece::Value(domain, columns)];
        while let Some(step) = pending.pop() {
            let (domain, columns) = match step {
                Piece::Space => {
                    out.push(' ');
                    continue;
                }
                Piece::Close => {
                    out.push(')');
                    continue;
                }
                Piece::Value(domain, columns) => (domain, columns),
            };
            let (&first, others) = columns.split_first().expect("a value has a column");
            let (name, rest) = match self.domains.form(domain) {
                Form::Nested => (self.terms.name(first), self.terms.arguments(first)),
                _ => (first, others),
            };
            let Some(functor) = name_at(self.domains, domain, name) else { continue };
            if functor.1 == 0 {
                out.push_str(self.symbols.spelling(functor.0));
                continue;
            }
            out.push('(');
            out.push_str(self.symbols.spelling(functor.0));
            pending.push(Piece::Close);
            let parts = self.domains.arguments_of(domain, functor).unwrap_or_default();
            self.push_parts(&parts, rest, &mut pending);
        }
    }

    fn push_parts<'v>(&self, parts: &[DomainId], mut rest: &'v [u32], pending: &mut Vec<Piece<'v>>) {
        let first = pending.len();
        for &part in parts {
            let (own, others) = rest.split_at(self.domains.width(part).min(rest.len()));
            pending.push(Piece::Space);
            pending.push(Piece::Value(part, own));
            rest = others;
        }
        pending[first..].reverse();
    }

    /// Writes a fluent.
    pub(super) fn write_fluent(&self, fluent: Functor, columns: &[u32]) -> String {
        let mut out = String::new();
        if fluent.1 == 0 {
            return self.symbols.spelling(fluent.0).to_owned();
        }
        out.push('(');
        out.push_str(self.symbols.spelling(fluent.0));
        let parts = self.domains.arguments_of(self.domains.fluents(), fluent).unwrap_or_default();
        let mut rest = columns;
        for part in parts {
            let (own, others) = rest.split_at(self.domains.width(part).min(rest.len()));
            out.push(' ');
            self.write(part, own, &mut out);
            rest = others;
        }
        out.push(')');
        out
    }
}

/// Reads a term of a domain and gives its columns; `None` if it is none.
pub(super) fn read(
    domains: &Domains,
    symbols: &Symbols,
    terms: &mut Terms,
    domain: DomainId,
    text: &str,
) -> Option<Vec<u32>> {
    let mut diagnostics = Diagnostics::new(1);
    // A wrapped text is unwrapped, so two forms or a doubled parenthesis are no term here.
    let tree = syntax::parse(text.as_bytes(), &Limits::default(), &mut diagnostics);
    let &[form] = tree.forms() else { return None };
    if diagnostics.has_errors() {
        return None;
    }
    Reader { domains, symbols, tree: &tree, terms }.value(domain, form)
}

struct Reader<'a> {
    domains: &'a Domains,
    symbols: &'a Symbols,
    tree: &'a Tree,
    terms: &'a mut Terms,
}

enum Task {
    Read(DomainId, NodeId),
    /// Fill a flat value up to its width; it began at this place.
    Pad(usize, usize),
    /// Replace the arguments from this place on by a term.
    Intern(DomainId, u32, usize),
}

impl Reader<'_> {
    fn value(&mut self, domain: DomainId, node: NodeId) -> Option<Vec<u32>> {
        let mut values = Vec::new();
        let mut pending = vec![Task::Read(domain, node)];
        while let Some(task) = pending.pop() {
            match task {
                Task::Pad(start, width) => values.resize(start + width, 0),
                Task::Intern(domain, name, start) => {
                    let arguments = values.split_off(start);
                    // Depths matter for what rules make, not for what is read.
                    values.push(self.terms.intern(domain, name, &arguments, &[]));
                }
                Task::Read(domain, node) => self.open(domain, node, &mut values, &mut pending)?,
            }
        }
        Some(values)
    }

    fn open(
        &self,
        domain: DomainId,
        mut node: NodeId,
        values: &mut Vec<u32>,
        pending: &mut Vec<Task>,
    ) -> Option<()> {
        // A list of one symbol is that symbol.
        while let [only] = self.tree.children(node) {
            node = *only;
        }
        let (head, arguments) = match self.tree.children(node) {
            [] => (node, &[][..]),
            [head, arguments @ ..] => (*head, arguments),
        };
        let name = self.tree.symbols.folded(self.tree.word(head)?);
        let functor = (self.symbols.find(name)?, arguments.len());
        let number = name_number(self.domains, domain, functor)?;
        let start = values.len();
        match self.domains.form(domain) {
            Form::Nested => pending.push(Task::Intern(domain, number, start)),
            Form::Atomic => values.push(number),
            Form::Flat(width) => {
                values.push(number);
                pending.push(Task::Pad(start, width));
            }
        }
        let parts = self.domains.arguments_of(domain, functor).unwrap_or_default();
        let reads = parts.into_iter().zip(arguments.iter().copied());
        let first = pending.len();
        pending.extend(reads.map(|(part, argument)| Task::Read(part, argument)));
        pending[first..].reverse();
        Some(())
    }
}
