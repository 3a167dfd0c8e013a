//! Which moves a careful sweep makes in a state. Moves to where nothing better may be reached any more are left out: that is
//! proved. A fluent that has to change on every way to the highest goal that may be reached makes a choice: one of the moves that
//! change it is made sooner or later. Of all such choices the smallest is made now, as if the order did not matter; and a
//! move that was tried in vain is not made later either. That is a guess.

use groundrules_machine::relax::{Question, Relaxation};
use groundrules_machine::{Move, Rows};

use super::Sweep;

impl Sweep {
    /// The children, by their places, that a state of the layer is left with. Moves that were tried before and are not made
    /// any more are not among them.
    pub(super) fn careful(&mut self, parent: usize, best: i32, tried: &[Move]) -> Vec<usize> {
        let Some(relaxation) = &mut self.relaxation else { return Vec::new() };
        relaxation.forbid(tried);
        let (children, views) = (&self.scratch.children, &self.scratch.views);
        let open: Vec<usize> = (0..children.len()).filter(|&child| !views.is_terminal(child)).collect();
        let state = self.layer.row(parent);
        let groups = groups(relaxation, state, children, &open);
        let is_forced = groups.iter().any(|group| group.len() < 2);
        let smallest = groups.iter().min_by_key(|group| group.len());
        self.is_of_use |= smallest.is_some_and(|group| group.len() < open.len());
        if let Some(forced) = smallest.filter(|_| is_forced) {
            return forced.clone();
        }
        let questions: Vec<Question<'_>> = open.iter().map(|&child| (children.row(child), None)).collect();
        let most = relaxation.most(0, &questions);
        let is_alive = |child: &&usize| open.binary_search(child).is_ok_and(|place| most[place] > Some(best));
        let alive: Vec<usize> = open.iter().filter(is_alive).copied().collect();
        self.is_of_use |= alive.len() < open.len();
        let alive_of = |group: &Vec<usize>| group.iter().filter(is_alive).copied().collect::<Vec<usize>>();
        groups.iter().map(alive_of).min_by_key(Vec::len).unwrap_or(alive)
    }
}

/// For each fluent that has to change on every way to the highest goal that may be reached from a state, the moves that change
/// it, by the children that they lead to.
fn groups(relaxation: &mut Relaxation, state: &[u64], children: &Rows, open: &[usize]) -> Vec<Vec<usize>> {
    let mut changed = vec![0_u64; state.len()];
    for &child in open {
        let words = changed.iter_mut().zip(state).zip(children.row(child));
        words.for_each(|((changed, before), after)| *changed |= before ^ after);
    }
    let fluents: Vec<usize> = bits(&changed).collect();
    let held = fluents.iter().map(|&fluent| (state, Some(fluent)));
    let questions: Vec<Question<'_>> = [(state, None)].into_iter().chain(held).collect();
    let most = relaxation.most(0, &questions);
    let needed = fluents.iter().zip(&most[1..]).filter(|(_, held)| **held < most[0]);
    let group = |fluent: usize| {
        let (word, bit) = (fluent / 64, fluent % 64);
        let changes = |child: &&usize| (children.row(**child)[word] ^ state[word]) >> bit & 1 == 1;
        open.iter().filter(changes).copied().collect()
    };
    needed.map(|(&fluent, _)| group(fluent)).collect()
}

/// The numbers of the bits that are set.
fn bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(place, &word)| {
        let drop_lowest = |&word: &u64| Some(word & (word - 1)).filter(|&rest| rest != 0);
        let rests = std::iter::successors(Some(word).filter(|&word| word != 0), drop_lowest);
        rests.map(move |rest| place * 64 + rest.trailing_zeros() as usize)
    })
}
