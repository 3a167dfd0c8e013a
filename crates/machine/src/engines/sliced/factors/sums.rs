//! Sums of numbers in lanes, where several sums have terms in common.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::super::graph::{Graph, Literal};
use super::super::levels::Count;
use super::super::rank::{sum, width};
use crate::index::index32;

/// In lists of more terms only neighbours are paired.
const MOST_PAIRED: usize = 16;

/// The sums of lists of terms, which are given by their numbers, ascending. Pairs of terms that many lists have are added once.
pub(super) fn shared_sums(graph: &mut Graph, mut terms: Vec<Count>, mut lists: Vec<Vec<u32>>) -> Vec<Count> {
    loop {
        let mut pairs: FxHashMap<(u32, u32), Vec<u32>> = FxHashMap::default();
        for (number, list) in lists.iter().enumerate() {
            for (place, &left) in list.iter().enumerate() {
                let last = if list.len() > MOST_PAIRED { place + 2 } else { list.len() };
                for &right in list.iter().take(last).skip(place + 1) {
                    pairs.entry((left, right)).or_default().push(index32(number));
                }
            }
        }
        let mut pairs: Vec<((u32, u32), Vec<u32>)> =
            pairs.into_iter().filter(|(_, lists)| lists.len() > 1).collect();
        if pairs.is_empty() {
            break;
        }
        let most = |&(left, right): &(u32, u32)| terms[left as usize].most + terms[right as usize].most;
        pairs.sort_by_cached_key(|(pair, lists)| (Reverse(lists.len()), most(pair), *pair));
        for ((left, right), having) in pairs {
            let has =
                |list: &Vec<u32>| list.binary_search(&left).is_ok() && list.binary_search(&right).is_ok();
            let having: Vec<usize> =
                having.into_iter().map(|list| list as usize).filter(|&list| has(&lists[list])).collect();
            if having.len() < 2 {
                continue;
            }
            terms.push(added(graph, &terms[left as usize], &terms[right as usize]));
            for list in having {
                lists[list].retain(|&term| term != left && term != right);
                lists[list].push(index32(terms.len() - 1));
            }
        }
    }
    let of_list =
        |list: Vec<u32>| total(graph, list.into_iter().map(|term| terms[term as usize].clone()).collect());
    lists.into_iter().map(of_list).collect()
}

/// The sum of some numbers, the smallest first.
pub(super) fn total(graph: &mut Graph, mut terms: Vec<Count>) -> Count {
    while terms.len() > 1 {
        terms.sort_by_key(|term| Reverse(term.most));
        if let (Some(left), Some(right)) = (terms.pop(), terms.pop()) {
            terms.push(added(graph, &left, &right));
        }
    }
    terms.pop().unwrap_or(Count { bits: Vec::new(), most: 0 })
}

/// The sum of two numbers.
pub(super) fn added(graph: &mut Graph, left: &Count, right: &Count) -> Count {
    let most = left.most + right.most;
    Count { bits: sum(graph, &left.bits, &right.bits, most), most }
}

/// A number that is the same in all lanes.
pub(super) fn constant(number: usize) -> Count {
    let bits = (0..width(number)).map(|bit| Literal::constant(number >> bit & 1 == 1));
    Count { bits: bits.collect(), most: number }
}

/// A number where a condition holds, elsewhere zero.
pub(super) fn gated(graph: &mut Graph, condition: Literal, number: &Count) -> Count {
    let bits = number.bits.iter().map(|&bit| graph.and(condition, bit)).collect();
    Count { bits, most: number.most }
}

/// The one of some numbers that is not zero, if there is one: at most one is.
pub(super) fn only(graph: &mut Graph, numbers: &[Count]) -> Count {
    let most = numbers.iter().map(|number| number.most).max().unwrap_or(0);
    let bit = |graph: &mut Graph, place: usize| {
        let bits: Vec<Literal> =
            numbers.iter().filter_map(|number| number.bits.get(place).copied()).collect();
        graph.or_all(&bits)
    };
    let bits = (0..width(most)).map(|place| bit(graph, place)).collect();
    Count { bits, most }
}
