//! Landmarks: a fluent that has to change on every path to the highest goal that may be reachable. One of the moves that change it is
//! made sooner or later, so of all such choices the smallest is made now, as if the order of moves did not matter, as one fills
//! in a sudoku. Successors from which nothing better is reachable are pruned, which is proved by relaxation; that the order does
//! not matter is a guess.

use groundrules_machine::Move;

use super::expansion::Expansion;
use crate::relaxation::{LANES, Query, Relaxation};

/// Selects successors by landmarks.
pub struct Landmarks {
    relaxation: Relaxation,
    /// Whether anything was ever pruned.
    pub(super) is_of_use: bool,
}

/// Which successors are left of a state.
pub(super) struct Selection {
    /// Their places.
    pub(super) children: Vec<usize>,
    /// How many there were in which the match goes on.
    pub(super) open: usize,
    /// A proved upper bound on the goal that is reachable from the state without the excluded moves.
    pub(super) upper: Option<i32>,
    /// How many states were evaluated, about.
    pub(super) work: u64,
}

impl Landmarks {
    /// Landmarks by the relaxed analysis of a network.
    pub fn new(relaxation: Relaxation) -> Self {
        Landmarks { relaxation, is_of_use: false }
    }

    /// The successors that a state is left with. Excluded moves are never made from here on.
    pub(super) fn select(
        &mut self,
        state: &[u64],
        expansion: &Expansion,
        to_beat: Option<i32>,
        excluded: &[Move],
    ) -> Selection {
        self.relaxation.forbid(excluded);
        let open: Vec<usize> = (0..expansion.len()).filter(|&child| !expansion.is_terminal(child)).collect();
        let Choices { groups, upper, queries } = choices(&mut self.relaxation, state, expansion, &open);
        let selection = |children, queries: usize| {
            let work = (queries.div_ceil(LANES) * LANES) as u64;
            Selection { children, open: open.len(), upper, work }
        };
        let is_forced = groups.iter().any(|group| group.len() < 2);
        let smallest = groups.iter().min_by_key(|group| group.len());
        self.is_of_use |= smallest.is_some_and(|group| group.len() < open.len());
        if let Some(forced) = smallest.filter(|_| is_forced) {
            return selection(forced.clone(), queries);
        }
        let of_children: Vec<Query<'_>> = open.iter().map(|&child| (expansion.row(child), None)).collect();
        let bounds = self.relaxation.most(0, &of_children);
        let is_promising = |bound: Option<i32>| bound.is_some() && bound > to_beat;
        let is_alive =
            |child: &&usize| open.binary_search(child).is_ok_and(|place| is_promising(bounds[place]));
        let alive: Vec<usize> = open.iter().filter(is_alive).copied().collect();
        self.is_of_use |= alive.len() < open.len();
        let alive_of = |group: &Vec<usize>| group.iter().filter(is_alive).copied().collect::<Vec<usize>>();
        let children = groups.iter().map(alive_of).min_by_key(Vec::len).unwrap_or(alive);
        selection(children, queries + open.len())
    }
}

/// The choices that a state offers.
struct Choices {
    /// For each landmark the moves that change its fluent, by the successors that they lead to.
    groups: Vec<Vec<usize>>,
    /// An upper bound on the goal.
    upper: Option<i32>,
    /// How many queries that took.
    queries: usize,
}

fn choices(relaxation: &mut Relaxation, state: &[u64], expansion: &Expansion, open: &[usize]) -> Choices {
    let mut changed = vec![0_u64; state.len()];
    for &child in open {
        let words = changed.iter_mut().zip(state).zip(expansion.row(child));
        words.for_each(|((changed, before), after)| *changed |= before ^ after);
    }
    let fluents: Vec<usize> = bits(&changed).collect();
    let held = fluents.iter().map(|&fluent| (state, Some(fluent)));
    let queries: Vec<Query<'_>> = [(state, None)].into_iter().chain(held).collect();
    let bounds = relaxation.most(0, &queries);
    let landmarks = fluents.iter().zip(&bounds[1..]).filter(|(_, held)| **held < bounds[0]);
    let group = |fluent: usize| {
        let (word, bit) = (fluent / 64, fluent % 64);
        let changes = |child: &&usize| (expansion.row(**child)[word] ^ state[word]) >> bit & 1 == 1;
        open.iter().filter(changes).copied().collect()
    };
    let groups = landmarks.map(|(&fluent, _)| group(fluent)).collect();
    Choices { groups, upper: bounds[0], queries: queries.len() }
}

/// The numbers of the bits that are set.
fn bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(place, &word)| {
        let drop_lowest = |&word: &u64| Some(word & (word - 1)).filter(|&rest| rest != 0);
        let rests = std::iter::successors(Some(word).filter(|&word| word != 0), drop_lowest);
        rests.map(move |rest| place * 64 + rest.trailing_zeros() as usize)
    })
}
