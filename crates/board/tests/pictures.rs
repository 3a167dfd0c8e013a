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
