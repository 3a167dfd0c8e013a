//! Pictures of library games after a few moves, as text and as SVG, compared with snapshots.

use std::fs;
use std::path::PathBuf;

use groundrules_board::{Last, Layout, PieceShape, TextStyle, Tiling};
use groundrules_gdl::{Game, Options, read};

fn game(name: &str) -> Game {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../games/{name}.kif"));
    let text = fs::read(path).expect("a game of the library");
    read(&text, &Options::default()).game.expect("a valid description")
}

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// The text of a state with its last move.
fn text(name: &str, fluents: &[&str], moves: &[&str]) -> String {
    let layout = Layout::of_game(&game(name));
    let (moves, before) = (texts(moves), Vec::new());
    let last = (!moves.is_empty()).then_some(Last { moves: &moves, before: &before });
    layout.picture(fluents, last).text(&TextStyle::default())
}

#[test]
fn a_board_has_all_its_cells_whatever_is_on_it() {
    insta::assert_snapshot!(text(
        "connect-four",
        &["(cell 1 1 red)", "(turn yellow)"],
        &["(drop 1)", "noop"]
    ));
    insta::assert_snapshot!(text(
        "tic-tac-toe",
        &["(cell 2 2 cross)", "(turn nought)"],
        &["(place 2 2)", "noop"]
    ));
    insta::assert_snapshot!(text("tic-tac-toe", &[], &[]));
}

#[test]
fn walls_and_targets_that_never_change_are_drawn() {
    let drawn = text("sokoban", &["(stands 1 4)", "(box 4 3)", "(box 5 3)"], &[]);
    let rows: Vec<&str> = drawn.lines().map(str::trim).collect();
    assert_eq!(
        rows[..4],
        ["1  · · ■ · · ·", "2  · · · · · ·", "3  · · ■(B)B ·", "4  S · ·(·)■ ·"],
        "{drawn}"
    );
    assert!(drawn.contains("■ pillar") && drawn.contains("( ) target"), "{drawn}");
}

#[test]
fn cells_that_are_used_up_are_marked() {
    // The knight has been on 1 1, which no fluent ever calls free.
    let free: Vec<String> = (1..=5)
        .flat_map(|x| (1..=5).map(move |y| (x, y)))
        .filter(|cell| ![(1, 1), (2, 3)].contains(cell))
        .map(|(x, y)| format!("(free {x} {y})"))
        .collect();
    let mut fluents: Vec<&str> = free.iter().map(String::as_str).collect();
    fluents.push("(knight 2 3)");
    let drawn = text("knights-tour", &fluents, &[]);
    assert!(drawn.contains("3  · ♞ · · ·") && drawn.contains("1 (·)· · · ·"), "{drawn}");
    assert!(drawn.contains("( ) not free"), "{drawn}");
    let first = text("knights-tour", &["(knight 1 1)"], &[]);
    assert!(first.contains("♞"), "{first}");
}

#[test]
fn places_inside_terms_are_cells() {
    let layout = Layout::of_game(&game("breakthrough-small"));
    assert_eq!((layout.boards[0].columns.len(), layout.boards[0].rows.len()), (5, 5));
    let clicks = layout.clicks("(move (square a 2) (square b 3))");
    let names: Vec<Vec<&[String]>> = clicks
        .iter()
        .map(|cells| cells.iter().map(|cell| &layout.boards[cell.board].cells[cell.cell].name[..]).collect())
        .collect();
    assert_eq!(names, [[["a", "2"]], [["b", "3"]]]);
    insta::assert_snapshot!(text(
        "breakthrough-small",
        &["(on (square a 3) white)", "(on (square b 4) black)", "(turn black)"],
        &["(move (square a 2) (square a 3))", "noop"]
    ));
}

#[test]
fn lists_are_piles_and_chessmen_stand_on_the_board() {
    insta::assert_snapshot!(text(
        "towers-of-hanoi",
        &["(peg a (cons 3 (cons 4 nil)))", "(peg b nil)", "(peg c (cons 1 (cons 2 nil)))", "(moves 3)"],
        &[]
    ));
    insta::assert_snapshot!(text(
        "king-and-rook",
        &["(king white 5 1)", "(rook 1 1)", "(king black 4 5)"],
        &[]
    ));
}

#[test]
fn hexagons_are_shifted() {
    let layout = Layout::of_game(&game("hex-7x7"));
    assert!(
        matches!(layout.boards[0].tiling, Tiling::HexagonsLeft | Tiling::HexagonsRight),
        "{:?}",
        layout.boards[0].tiling
    );
}

/// A layout of a text, with what every description needs.
fn layout_of(rules: &str) -> Layout {
    let rest = "(<= terminal (true over)) (goal you 100) (<= (legal you stop) (role you)) (role you)";
    let text = format!("{rules} {rest}");
    Layout::of_game(&read(text.as_bytes(), &Options::default()).game.expect("a valid description"))
}

fn facts(pattern: &str, sides: [usize; 2]) -> String {
    let fact = |(x, y): (usize, usize)| pattern.replace("$x", &x.to_string()).replace("$y", &y.to_string());
    let pairs = (1..=sides[0]).flat_map(|x| (1..=sides[1]).map(move |y| (x, y)));
    pairs.map(fact).collect::<Vec<_>>().join(" ")
}

#[test]
fn boards_lie_as_the_rules_place_them_on_a_larger_one() {
    let frame = "(<= (next (cell ?q ?x ?y ?c)) (true (cell ?q ?x ?y ?c))) (<= (next (cell ?q ?x ?y red)) (does you (place ?q ?x ?y)))
        (<= (legal you (place ?q ?x ?y)) (true (cell ?q ?x ?y blank)))";
    let cells: String = (1..=4)
        .map(|q| facts(&format!("(init (cell {q} $x $y blank))"), [2, 2]))
        .collect::<Vec<_>>()
        .join(" ");
    let indexes = "(i 1) (i 2) (plus 1 3) (plus 2 4)
        (<= (place 1 ?x ?y ?x2 ?y2) (plus ?x ?x2) (plus ?y ?y2)) (<= (place 2 ?x ?y ?x ?y2) (i ?x) (plus ?y ?y2))
        (<= (place 3 ?x ?y ?x ?y) (i ?x) (i ?y)) (<= (place 4 ?x ?y ?x2 ?y) (plus ?x ?x2) (i ?y))";
    let parts = |layout: &Layout| -> Vec<(String, [usize; 2])> {
        layout.boards.iter().map(|board| (board.name.clone(), board.part)).collect()
    };
    let layout = layout_of(&format!("{frame} {cells} {indexes}"));
    let expected = [("cell 2", [0, 0]), ("cell 1", [1, 0]), ("cell 3", [0, 1]), ("cell 4", [1, 1])];
    assert_eq!(parts(&layout), expected.map(|(name, part)| (name.to_owned(), part)));
    // Two boards at one place are not placed.
    let layout = layout_of(&format!(
        "{frame} {cells} {}",
        indexes.replace("(place 4 ?x ?y ?x2 ?y)", "(place 4 ?x ?y ?x2 ?x2)")
    ));
    assert_eq!(parts(&layout).iter().map(|(_, part)| part[0]).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn sides_of_boxes_are_drawn_between_dots() {
    let layout = Layout::of_game(&game("dots-and-boxes"));
    let all = facts("(blank (across $x $y))", [3, 4]) + " " + &facts("(blank (down $x $y))", [4, 3]);
    let left: Vec<&str> = all.split_inclusive("))").map(str::trim).collect();
    assert_eq!(left.len(), 24);
    let count = |fluents: &[&str]| layout.picture(fluents, None).boards[0].lines.len();
    assert_eq!((count(&left), count(&left[1..]), count(&[])), (0, 1, 24));
    let drawn = ["(blank (across 1 1))", "(blank (down 1 1))", "(blank (down 2 1))", "(blank (across 1 2))"];
    let first: Vec<&str> = left.iter().copied().filter(|side| !drawn.contains(side)).collect();
    let picture = layout.picture(&first, None);
    insta::assert_snapshot!(picture.text(&TextStyle::default()));
    assert!(picture.rest.is_empty(), "what is drawn is not listed");
}

#[test]
fn what_never_changes_under_a_letter_is_ground_and_what_is_walked_on_is_blank() {
    let border = "(init (cell 1 $y w)) (init (cell 5 $y w))";
    let inside = "(init (cell 2 $y o)) (init (cell 3 $y o))";
    let layout = layout_of(&format!(
        "{} {} (init (cell 4 1 a)) (init (cell 4 2 o)) (init (cell 4 3 o)) (n 2) (n 3) (n 4) (m 1) (m 2) (m 3)
        (<= (legal you (go ?x ?y)) (true (cell ?x ?y o))) (<= (next (cell ?x ?y a)) (does you (go ?x ?y)))
        (<= (next (cell ?x ?y o)) (does you (go ?u ?v)) (true (cell ?x ?y ?c)) (n ?x) (m ?y) (or (distinct ?u ?x) (distinct ?v ?y)))
        (<= (next (cell ?x ?y w)) (true (cell ?x ?y w)))",
        facts(border, [1, 3]),
        facts(inside, [1, 3])
    ));
    let shape =
        |key: &str| layout.boards[0].pieces.iter().find(|piece| piece.key == key).map(|piece| piece.shape);
    assert_eq!(shape("w"), Some(PieceShape::Block));
    assert_eq!(shape("o"), Some(PieceShape::Blank));
    assert_eq!(shape("a"), Some(PieceShape::Label));
}

#[test]
fn neighbourhoods_of_places_and_by_equality_make_hexagons() {
    let frame = "(<= (next (cell ?p ?c)) (true (cell ?p ?c))) (<= (next (cell ?p x)) (does you (mark ?p)))
        (<= (legal you (mark ?p)) (true (cell ?p b)))";
    let places: String =
        ["a1", "a2", "b1", "b2", "b3", "c2", "c3"].map(|p| format!("(init (cell {p} b)) ")).concat();
    let steps =
        "(adj a1 a2) (adj b1 b2) (adj b2 b3) (adj c2 c3) (adj a1 b1) (adj a2 b2) (adj b2 c2) (adj b3 c3)
        (adj a1 b2) (adj a2 b3) (adj b1 c2) (adj b2 c3)";
    let tiling = |layout: &Layout| layout.boards[0].tiling;
    assert_eq!(tiling(&layout_of(&format!("{frame} {places} {steps}"))), Tiling::HexagonsRight);
    // Without the diagonals they are squares.
    let straight = steps.split("(adj a1 b2)").next().expect("a part");
    assert_eq!(tiling(&layout_of(&format!("{frame} {places} {straight}"))), Tiling::Squares);

    let frame = "(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c))) (<= (next (cell ?x ?y r)) (does you (mark ?x ?y)))
        (<= (legal you (mark ?x ?y)) (true (cell ?x ?y b)) (near ?x ?y ?u ?v)) (succ 1 2) (succ 2 3) (same 1 1) (same 2 2) (same 3 3)
        (<= (near ?x ?y ?u ?v) (same ?y ?v) (or (succ ?x ?u) (succ ?u ?x)))
        (<= (near ?x ?y ?u ?v) (succ ?y ?v) (or (same ?x ?u) (succ ?x ?u)))
        (<= (near ?x ?y ?u ?v) (succ ?v ?y) (or (same ?x ?u) (succ ?u ?x)))";
    let layout = layout_of(&format!("{frame} {}", facts("(init (cell $x $y b))", [3, 3])));
    assert_eq!(tiling(&layout), Tiling::HexagonsRight);
}

#[test]
fn a_number_after_the_content_is_no_board() {
    let layout = layout_of(
        "(init (cell 1 3 ghost 1)) (init (cell 3 3 ghost 2)) (init (cell 2 1 ghost 3)) (init (cell 2 2 hero 1))
        (<= (next (cell ?x ?y ghost ?z)) (true (cell ?x ?y ghost ?z))) (i 1) (i 2) (i 3)
        (<= (legal you (go ?x ?y)) (i ?x) (i ?y)) (<= (next (cell ?x ?y hero 1)) (does you (go ?x ?y)))",
    );
    assert_eq!((layout.boards.len(), layout.boards[0].cells.len()), (1, 9));
}

#[test]
fn long_lists_do_not_widen_a_small_board() {
    let layout = Layout::of_game(&game("tic-tac-toe"));
    let lists: Vec<String> = (0..60).map(|n| format!("(unheard {n} of)")).collect();
    let fluents: Vec<&str> = lists.iter().map(String::as_str).collect();
    let svg = layout.picture(&fluents, None).svg();
    let width = svg
        .split("width=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .and_then(|it| it.parse::<f64>().ok());
    assert!(width.expect("a width") < 420.0, "{width:?}");
    assert_eq!(svg.matches("class=\"said\"").count(), 4);
}

#[test]
fn the_drawing_is_the_same_document_every_time() {
    let layout = Layout::of_game(&game("tic-tac-toe"));
    let picture = layout.picture(&["(cell 1 1 cross)", "(cell 3 3 nought)", "(turn cross)"], None);
    insta::assert_snapshot!(picture.svg());
    assert_eq!(
        picture.svg(),
        layout.picture(&["(turn cross)", "(cell 3 3 nought)", "(cell 1 1 cross)"], None).svg()
    );
}

#[test]
fn moves_name_cells_and_fluents_have_places() {
    let layout = Layout::of_game(&game("tic-tac-toe"));
    let targets = layout.targets("(place 2 3)");
    assert_eq!(targets.len(), 1);
    assert_eq!(layout.boards[0].cells[targets[0].cell].name, ["2", "3"]);
    let placed = layout.place("(CELL 2 3 Nought)").expect("a place");
    assert_eq!(placed.at, targets[0]);
    assert_eq!(layout.boards[0].pieces[placed.piece].shape, PieceShape::Ring);
    assert!(layout.place("(turn cross)").is_none() && layout.targets("noop").is_empty());
    let layout = Layout::of_game(&game("connect-four"));
    let column = layout.targets("(drop 3)");
    assert_eq!(column.len(), layout.boards[0].rows.len());
}

#[test]
fn hints_are_followed_and_wrong_ones_reported() {
    let rules = "(role you) (init (at a b x)) (legal you go) (<= (next (at a b x)) (true (at a b x)))
        (<= terminal (true (at b b x))) (goal you 100) (init (n 3)) (<= (next (n 3)) (true (n 3)))";
    let with = |hint: &str| {
        let text = format!("{hint}\n{rules}");
        Layout::of_game(&read(text.as_bytes(), &Options::default()).game.expect("valid"))
    };
    assert!(with(";; groundrules: hide n 1").ignored.is_empty());
    let hidden = with(";; groundrules: hide n 1");
    assert!(!hidden.picture(&["(n 3)", "(at a b x)"], None).text(&TextStyle::default()).contains("n:"));
    for (wrong, word) in [
        (";; groundrules: board at x content", "one `x` and one `y`"),
        (";; groundrules: piece x triangle", "triangle"),
        (";; groundrules: bord at x y content", "bord"),
        (";; groundrules: look marble", "marble"),
    ] {
        let layout = with(wrong);
        assert!(layout.ignored[0].message.contains(word), "{:?}", layout.ignored);
    }
    assert!(with(";; groundrules: allow G302").ignored.is_empty(), "that is for another part of the program");
}

#[test]
fn strange_states_are_drawn_without_a_panic() {
    let layout = Layout::of_game(&game("tic-tac-toe"));
    let odd = [
        "",
        "(",
        ")",
        "()",
        "(cell)",
        "(cell 1)",
        "(cell 9 9 x)",
        "(cell 1 1 (f (g)))",
        "((((",
        "(cell 1 1 \u{7})",
    ];
    let picture = layout.picture(&odd, None);
    assert!(!picture.text(&TextStyle { width: 1, ..TextStyle::default() }).contains('\u{7}'));
    assert!(picture.svg().ends_with("</svg>\n"));
}
