use super::super::graph::{Node, Source};
use super::*;

/// The value of every node, by those of the slots.
fn values(graph: &Graph, slots: &[bool]) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::new();
    for node in graph.nodes() {
        let of = |literal: Literal, values: &[bool]| values[literal.node()] != literal.is_complemented();
        let value = match *node {
            Node::False => false,
            Node::Input(Source::Slot(slot)) => slots[slot as usize],
            Node::Input(Source::Random(_)) => unreachable!("nothing is drawn here"),
            Node::And(a, b) => of(a, &values) && of(b, &values),
            Node::Xor(a, b) => of(a, &values) != of(b, &values),
        };
        values.push(value);
    }
    values
}

/// A generator that is good enough to make tests.
struct Chances(u64);

impl Chances {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Moves with words, and what each needs: inputs, each to hold or not to hold.
type Moves = Vec<(Vec<u32>, Vec<(usize, bool)>)>;

/// In random states every rank selects another legal move, and questions about sets of moves are answered rightly.
fn check(inputs: usize, moves: &Moves, chances: &mut Chances) {
    let mut graph = Graph::new();
    let literals: Vec<Literal> = (0..inputs as u32).map(|slot| graph.input(Source::Slot(slot))).collect();
    let mut legal = Vec::new();
    for (_, needs) in moves {
        let needs: Vec<Literal> =
            needs.iter().map(|&(input, holds)| literals[input].complement_if(!holds)).collect();
        legal.push(graph.and_all(&needs));
    }
    let words: Vec<&[u32]> = moves.iter().map(|(words, _)| words.as_slice()).collect();
    let factors = Factors::over(&mut graph, &legal, &words).expect("there are factors");
    let bits = width(factors.most().saturating_sub(1));
    let rank: Vec<Literal> = (0..bits).map(|bit| graph.input(Source::Slot((inputs + bit) as u32))).collect();
    let enabled = graph.input(Source::Slot((inputs + bits) as u32));
    let chosen = factors.select(&mut graph, enabled, &rank);
    let made: Vec<Literal> = (0..moves.len()).map(|number| chosen.one(&mut graph, number)).collect();
    let questions = questions(moves, chances);
    let answers: Vec<Literal> = questions.iter().map(|asked| chosen.any(&mut graph, asked)).collect();
    for share in [0, 1, 3, 6, 8] {
        let state: Vec<bool> = (0..inputs).map(|_| chances.below(8) < share).collect();
        let holds = |needs: &Vec<(usize, bool)>| needs.iter().all(|&(input, holds)| state[input] == holds);
        let legal: Vec<usize> = (0..moves.len()).filter(|&number| holds(&moves[number].1)).collect();
        let mut seen = Vec::new();
        for (rank, enabled) in (0..legal.len().max(1)).map(|rank| (rank, true)).chain([(0, false)]) {
            let mut slots = state.clone();
            slots.extend((0..bits).map(|bit| rank >> bit & 1 == 1));
            slots.push(enabled);
            let values = values(&graph, &slots);
            let of = |literal: &Literal| values[literal.node()] != literal.is_complemented();
            let count = factors.count().iter().enumerate();
            let count: usize = count.map(|(bit, literal)| usize::from(of(literal)) << bit).sum();
            assert_eq!(count, legal.len());
            if legal.is_empty() && enabled {
                continue;
            }
            let now: Vec<usize> = (0..made.len()).filter(|&number| of(&made[number])).collect();
            assert_eq!(now.len(), usize::from(enabled), "rank {rank} of {count}");
            for (asked, answer) in questions.iter().zip(&answers) {
                assert_eq!(of(answer), now.iter().any(|made| asked.contains(made)), "rank {rank} of {count}");
            }
            seen.extend(now);
        }
        seen.sort_unstable();
        assert_eq!(seen, legal);
    }
}

/// Sets of moves: with the same word somewhere, with two words, and any.
fn questions(moves: &Moves, chances: &mut Chances) -> Vec<Vec<usize>> {
    let mut questions = Vec::new();
    for _ in 0..60 {
        let (model, place) =
            (&moves[chances.below(moves.len() as u64) as usize].0, chances.below(5) as usize);
        let other = chances.below(5) as usize;
        let is_asked = |number: &usize| {
            let words = &moves[*number].0;
            words.get(place) == model.get(place) && (place < 2 || words.get(other) == model.get(other))
        };
        questions.push((0..moves.len()).filter(is_asked).collect());
        let bound = chances.below(6) + 1;
        questions.push((0..moves.len()).filter(|_| chances.below(bound) == 0).collect());
    }
    questions
}

#[test]
fn pieces_that_move_along_lines_and_shoot() {
    // Inputs: own pieces, then empty squares, on a line of seven; a piece goes and then shoots, past where it stood.
    let squares = 7;
    let between = |a: usize, b: usize| (a.min(b) + 1)..a.max(b);
    let mut moves = Moves::new();
    for from in 0..squares {
        for to in (0..squares).filter(|&to| to != from) {
            for target in (0..squares).filter(|&target| target != to) {
                let mut needs = vec![(from, true), (from + squares, false), (to + squares, true)];
                needs.extend(between(from, to).map(|square| (square + squares, true)));
                let path = between(to, target).chain([target]).filter(|&square| square != from);
                needs.extend(path.map(|square| (square + squares, true)));
                moves.push((vec![1, from as u32, to as u32, target as u32], needs));
            }
        }
    }
    moves.push((vec![2], vec![(0, false)]));
    let mut chances = Chances(1);
    for _ in 0..3 {
        check(2 * squares, &moves, &mut chances);
    }
}

#[test]
fn moves_made_at_random() {
    let mut chances = Chances(7);
    for round in 0..12 {
        let inputs = 6 + round;
        let mut moves = Moves::new();
        while moves.len() < 150 {
            let mut words = vec![chances.below(2) as u32];
            words.extend((0..1 + chances.below(3)).map(|_| chances.below(6) as u32));
            if moves.iter().any(|(other, _)| *other == words) {
                continue;
            }
            // Each input once, so that no move contradicts itself.
            let first = chances.below(inputs as u64) as usize;
            let needs =
                (0..chances.below(4) as usize).map(|place| ((first + place) % inputs, chances.below(3) > 0));
            moves.push((words, needs.collect()));
        }
        check(inputs, &moves, &mut chances);
    }
}

#[test]
fn what_has_no_factors_is_left_alone() {
    let mut graph = Graph::new();
    let legal: Vec<Literal> = (0..200).map(|slot| graph.input(Source::Slot(slot))).collect();
    let words: Vec<[u32; 2]> = (0..200).map(|word| [0, word]).collect();
    let short: Vec<&[u32]> = words.iter().map(|words| &words[..]).collect();
    assert!(Factors::over(&mut graph, &legal, &short).is_none());
    assert!(Factors::over(&mut graph, &legal[..10], &short[..10]).is_none());
}
