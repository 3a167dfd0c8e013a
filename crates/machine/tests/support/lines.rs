//! Games whose moves have factors: where a piece stands, where it goes, what it does there.

/// Two sides in turn move a piece along a line of empty squares and then shoot along another one, past the square that the piece
/// left: many moves, most of what they need in common.
pub(crate) fn shooters() -> String {
    let mut text = "(role left) (role right) (init (turn left))
        (init (at 1 left)) (init (at 4 left)) (init (at 6 right)) (init (at 9 right))
        (<= (next (turn left)) (true (turn right))) (<= (next (turn right)) (true (turn left)))
        (<= (full ?x) (true (at ?x ?who)))
        (<= (line ?x ?y ?way) (step ?x ?y ?way))
        (<= (line ?x ?z ?way) (step ?x ?y ?way) (not (full ?y)) (line ?y ?z ?way))
        (<= (past ?x ?y ?y ?way) (square ?x) (step ?y ?y2 ?way))
        (<= (past ?x ?y ?z ?way) (square ?x) (step ?y ?z ?way) (free ?x ?z))
        (<= (past ?x ?y ?z ?way) (past ?x ?y ?u ?way) (step ?u ?z ?way) (free ?x ?z) (distinct ?y ?u))
        (<= (free ?x ?z) (square ?x) (square ?z) (not (full ?z))) (<= (free ?x ?x) (square ?x))
        (<= (goes ?who ?x ?y) (true (at ?x ?who)) (line ?x ?y ?way) (not (full ?y)))
        (<= (legal ?who (play ?x ?y ?z)) (true (turn ?who)) (goes ?who ?x ?y) (past ?x ?y ?z ?way) (distinct ?y ?z))
        (<= (legal ?who wait) (role ?who) (not (true (turn ?who))))
        (<= (next (at ?y ?who)) (does ?who (play ?x ?y ?z)))
        (<= (next (at ?z shot)) (does ?who (play ?x ?y ?z)))
        (<= (next (at ?x ?what)) (true (at ?x ?what)) (not (left ?x)))
        (<= (left ?x) (does ?who (play ?x ?y ?z)))
        (<= (stuck ?who) (true (turn ?who)) (not (able ?who))) (<= (able ?who) (goes ?who ?x ?y))
        (<= terminal (stuck ?who))
        (<= (goal ?who 100) (role ?who) (not (stuck ?who))) (<= (goal ?who 0) (stuck ?who))"
        .to_owned();
    for square in 0..12 {
        text.push_str(&format!("(square {square})"));
        // Along the ring of twelve squares, cut open, and to and fro between its halves.
        if square < 11 {
            text.push_str(&format!("(step {square} {0} up) (step {0} {square} down)", square + 1));
        }
        if square < 8 {
            text.push_str(&format!("(step {square} {0} over) (step {0} {square} back)", square + 4));
        }
    }
    text
}

/// Two armies move at the same time, each on its own ground; what a piece can do depends on its kind, and the kind is part of
/// the move. One kind turns into another at the edge.
pub(crate) fn armies() -> String {
    let mut text = "(role north) (role south) (init (step 0)) (kind slow) (kind fast)
        (<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (<= terminal (true (step 6)))
        (<= (legal ?who (go slow ?x ?y)) (true (has ?who slow ?x)) (near ?x ?y) (not (mine ?who ?y)))
        (<= (legal ?who (go fast ?x ?y)) (true (has ?who fast ?x)) (way ?x ?y) (not (mine ?who ?y)))
        (<= (legal ?who (rest ?k)) (role ?who) (kind ?k) (not (true (step 2))))
        (<= (mine ?who ?x) (true (has ?who ?k ?x)))
        (<= (way ?x ?y) (near ?x ?y)) (<= (way ?x ?z) (near ?x ?y) (near ?y ?z) (distinct ?x ?z))
        (<= (next (has ?who ?k ?y)) (does ?who (go ?k ?x ?y)) (distinct ?y 0))
        (<= (next (has ?who fast 0)) (does ?who (go ?k ?x 0)))
        (<= (next (has ?who ?k ?x)) (true (has ?who ?k ?x)) (not (moved ?who ?x)))
        (<= (moved ?who ?x) (does ?who (go ?k ?x ?y)))
        (<= (next (tired ?who)) (does ?who (rest ?k)) (true (has ?who ?k 3)))
        (<= (goal ?who 100) (true (tired ?who))) (<= (goal ?who 30) (role ?who) (not (true (tired ?who))))"
        .to_owned();
    for who in ["north", "south"] {
        for (kind, square) in [("slow", 3), ("slow", 7), ("slow", 11), ("fast", 1), ("fast", 8)] {
            text.push_str(&format!("(init (has {who} {kind} {square}))"));
        }
    }
    for square in 0..13 {
        for step in [1, 2, 5] {
            let other = (square + step) % 13;
            text.push_str(&format!("(near {square} {other}) (near {other} {square})"));
        }
    }
    (0..6).for_each(|step| text.push_str(&format!("(after {step} {})", step + 1)));
    text
}

/// Two sides in turn put stones on a board of hexagons; each has to connect its edges, so that its end is a least fixpoint that only grows.
pub(crate) fn connections(size: usize) -> String {
    let mut text = "(role red) (role blue) (init (turn red))
        (<= (next (turn blue)) (true (turn red))) (<= (next (turn red)) (true (turn blue)))
        (<= (legal ?who (put ?x ?y)) (true (turn ?who)) (index ?x) (index ?y) (not (full ?x ?y)))
        (<= (legal ?who wait) (role ?who) (not (true (turn ?who))))
        (<= (full ?x ?y) (true (stone ?x ?y ?who)))
        (<= (next (stone ?x ?y ?who)) (does ?who (put ?x ?y)))
        (<= (next (stone ?x ?y ?who)) (true (stone ?x ?y ?who)))
        (<= (beside ?x ?y ?x ?v) (index ?x) (succ ?y ?v)) (<= (beside ?x ?y ?u ?y) (succ ?x ?u) (index ?y))
        (<= (beside ?x ?y ?u ?v) (succ ?x ?u) (succ ?y ?v))
        (<= (near ?x ?y ?u ?v) (beside ?x ?y ?u ?v)) (<= (near ?x ?y ?u ?v) (beside ?u ?v ?x ?y))
        (<= (linked red 1 ?y) (true (stone 1 ?y red))) (<= (linked blue ?x 1) (true (stone ?x 1 blue)))
        (<= (linked ?who ?u ?v) (linked ?who ?x ?y) (near ?x ?y ?u ?v) (true (stone ?u ?v ?who)))
        (<= terminal (wins ?who))
        (<= (goal ?who 100) (wins ?who)) (<= (goal ?who 0) (role ?who) (not (wins ?who)))"
        .to_owned();
    text.push_str(&format!(
        " (<= (wins red) (linked red {size} ?y)) (<= (wins blue) (linked blue ?x {size}))"
    ));
    (1..=size).for_each(|index| text.push_str(&format!("(index {index})")));
    (1..size).for_each(|index| text.push_str(&format!("(succ {index} {})", index + 1)));
    text
}
