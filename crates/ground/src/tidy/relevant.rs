//! Relevance: keeps the rules that `next`, `legal`, `goal`, `terminal` and `sees` depend on.

use groundrules_gdl::index::index32;

use crate::draft::{Draft, Rules};

/// Drops the rules of atoms that nothing rests on.
pub(crate) fn keep_relevant(draft: &mut Draft) {
    let mut is_relevant = vec![false; draft.atoms()];
    let mut waiting: Vec<u32> = (draft.fluents + draft.moves..draft.first_derived()).collect();
    waiting.extend(&draft.roots);
    let mut first_rule = vec![u32::MAX; draft.atoms()];
    for (start, _) in draft.rules.runs() {
        first_rule[draft.rules.head(start) as usize] = index32(start, "ground rules");
    }
    while let Some(atom) = waiting.pop() {
        if std::mem::replace(&mut is_relevant[atom as usize], true) {
            continue;
        }
        let mut rule = first_rule[atom as usize] as usize;
        while rule < draft.rules.len() && draft.rules.head(rule) == atom {
            let atoms = draft.rules.body(rule).iter().map(|literal| literal / 2);
            waiting.extend(atoms.filter(|&atom| !is_relevant[atom as usize]));
            rule += 1;
        }
    }
    let mut rules = Rules::like(&draft.rules);
    for (head, body) in draft.rules.iter() {
        if is_relevant[head as usize] {
            rules.push(head, body);
        }
    }
    draft.rules = rules;
}
