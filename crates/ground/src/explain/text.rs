//! Explanations as text for people.

use std::fmt::{self, Display, Formatter};

use super::answer::{
    Answer, AskedFor, Explanation, Failure, Fault, Hint, ImpossibleAtom, Instance, Presence, RuleAt,
};

impl Display for Explanation {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let atom = &self.atom;
        match &self.answer {
            Answer::Present(presence) => write_presence(out, atom, presence),
            Answer::Always { is_kept: true, rule } => {
                writeln!(out, "{atom} is in the ground game and holds in every state.")?;
                writeln!(out, "Its rule has no body, and no other rule asks for it:\n  {rule}")
            }
            Answer::Always { is_kept: false, .. } => {
                writeln!(
                    out,
                    "{atom} holds in every state, so it was taken out of the rules that ask for it."
                )
            }
            Answer::First => writeln!(out, "{atom} holds: it is part of the first state."),
            Answer::Static => {
                writeln!(out, "{atom} is static and always holds: no state and no move decides it.")?;
                writeln!(out, "Static atoms are tested while the rules are made and leave them.")
            }
            Answer::Never { steps, .. } if is_misnamed(steps) => {
                writeln!(out, "{atom} is not in the ground game.")?;
                steps
                    .iter()
                    .filter_map(|step| step.hint.as_ref())
                    .try_for_each(|hint| writeln!(out, "  {hint}"))
            }
            Answer::Never { is_static, steps } => {
                writeln!(out, "{atom} {}can never hold.", if *is_static { "is static and " } else { "" })?;
                steps.iter().enumerate().try_for_each(|(place, step)| write_step(out, place + 1, step))
            }
            Answer::NotAsked(asked) => {
                writeln!(
                    out,
                    "{atom} could hold, but nothing that legal, next, goal and terminal rest on asks for it."
                )?;
                write_asked(out, asked)
            }
            Answer::Part { rules } => {
                writeln!(
                    out,
                    "{atom} is not an atom of the description but a part of some bodies, and not in the ground game:"
                )?;
                writeln!(out, "parts that save no rules are put back into the rules that used them.")?;
                rules.iter().try_for_each(|rule| writeln!(out, "  {rule}"))
            }
            Answer::Excluded { rules } => {
                writeln!(
                    out,
                    "{atom} can never hold: every rule for it needs fluents that never hold together."
                )?;
                listed(out, rules, rules.len())
            }
            Answer::Contradicted { instances } => {
                writeln!(out, "{atom} can never hold: no instance of its rules can ever apply.")?;
                instances.iter().try_for_each(|instance| write_instance(out, instance))
            }
        }
    }
}

fn write_presence(out: &mut Formatter<'_>, atom: &str, presence: &Presence) -> fmt::Result {
    let Presence { written, rules_of, rules, first, used, at_first } = presence;
    write!(out, "{atom} is in the ground game")?;
    if !written.eq_ignore_ascii_case(atom) {
        write!(out, " as {written}: the other arguments never matter")?;
    }
    writeln!(out, ".")?;
    if let Some(at_first) = at_first {
        writeln!(out, "It {} at the beginning.", if *at_first { "holds" } else { "does not hold" })?;
    }
    writeln!(out, "It occurs in {}.", counted(*used, "body", "bodies"))?;
    let end = if first.is_empty() { "." } else { ":" };
    writeln!(out, "{rules_of} has {}{end}", counted(*rules, "rule", "rules"))?;
    listed(out, first, *rules)
}

/// Whether the atom is a fluent or a move instead of an atom.
fn is_misnamed(steps: &[ImpossibleAtom]) -> bool {
    steps.iter().any(|step| matches!(step.hint, Some(Hint::AskInstead { .. })))
}

fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        0 => format!("no {one}"),
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}

fn listed(out: &mut Formatter<'_>, shown: &[String], all: usize) -> fmt::Result {
    shown.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
    if all > shown.len() { writeln!(out, "  and {} more", all - shown.len()) } else { Ok(()) }
}

impl Display for RuleAt {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(out, "line {line}: {}", self.rule),
            None => write!(out, "{}", self.rule),
        }
    }
}

fn write_step(out: &mut Formatter<'_>, number: usize, step: &ImpossibleAtom) -> fmt::Result {
    writeln!(out, "{number}. {}", step.atom)?;
    if step.failures.is_empty() && !matches!(step.hint, Some(Hint::NoRole { .. })) {
        writeln!(out, "   no rule's head fits")?;
    }
    if let Some(hint) = &step.hint {
        writeln!(out, "   {hint}")?;
    }
    step.failures.iter().try_for_each(|failure| write_failure(out, number, failure))?;
    if step.more > 0 {
        writeln!(out, "   and {} more that fail", counted(step.more, "rule", "rules"))
    } else {
        Ok(())
    }
}

fn write_failure(out: &mut Formatter<'_>, number: usize, failure: &Failure) -> fmt::Result {
    writeln!(out, "   {}", failure.rule)?;
    if !failure.satisfied.is_empty() {
        writeln!(out, "     possible, for instance: {}", failure.satisfied.join(" "))?;
    }
    write!(out, "     fails: {} {}", failure.literal, failure.fault)?;
    if let Some(hint) = &failure.hint {
        write!(out, "; {hint}")?;
    }
    match failure.step {
        Some(step) if step == number => writeln!(out, ", being the same atom"),
        Some(step) => writeln!(out, ", see {step}"),
        None => writeln!(out),
    }
}

impl Display for Fault {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Fault::NeverHolds => "never holds",
            Fault::AlwaysHolds => "is negated and always holds",
            Fault::Same => "compares a term with itself",
            Fault::Different => "compares two different terms",
            Fault::Contradiction => "contradicts another literal",
            Fault::Itself => "is what is to be shown",
        })
    }
}

impl Display for Hint {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Hint::Unknown { name, nearest: None } => write!(out, "no rule makes anything called `{name}`"),
            Hint::Unknown { name, nearest: Some(nearest) } => {
                write!(out, "no rule makes anything called `{name}`; did you mean `{nearest}`?")
            }
            Hint::Arity { name, arity } => {
                write!(out, "`{name}` has {}", counted(*arity, "argument", "arguments"))
            }
            Hint::AskInstead { atom } => write!(out, "it is not a relation; ask for {atom}"),
            Hint::NoRole { role } => write!(out, "`{role}` is not a role, so it never moves"),
            Hint::Values { name, argument, only, more } => {
                write!(out, "argument {argument} of `{name}` is only ever {}", only.join(", "))?;
                if *more > 0 { write!(out, " and {more} more") } else { Ok(()) }
            }
        }
    }
}

fn write_asked(out: &mut Formatter<'_>, asked: &AskedFor) -> fmt::Result {
    match (&asked.hint, asked.atoms) {
        (_, 0) => writeln!(out, "Nothing of its relation is asked for.")?,
        (Some(hint), _) => writeln!(out, "In what is asked for, {hint}.")?,
        (None, atoms) => {
            let are = if atoms == 1 { "is" } else { "are" };
            writeln!(out, "Of its relation, {} {are} asked for:", counted(atoms, "atom", "atoms"))?;
            listed(out, &asked.first, atoms)?;
        }
    }
    if asked.rules.is_empty() {
        return writeln!(out, "No rule's body names its relation.");
    }
    writeln!(out, "Rules that name its relation in their bodies:")?;
    asked.rules.iter().try_for_each(|rule| writeln!(out, "  {rule}"))?;
    if asked.more > 0 { writeln!(out, "  and {} more", asked.more) } else { Ok(()) }
}

fn write_instance(out: &mut Formatter<'_>, instance: &Instance) -> fmt::Result {
    writeln!(out, "  {}", instance.rule)?;
    writeln!(out, "     instance: {}", instance.body.join(" "))?;
    match &instance.blamed {
        Some((literal, fault)) => writeln!(out, "     fails: {literal} {fault}"),
        None => Ok(()),
    }
}
