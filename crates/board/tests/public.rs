//! What is found in the public descriptions: a table of boards, compared with a snapshot, and how many of the games that have
//! a board get the one that a person would draw. No test can see that: the games for which it is not so are listed here by hand.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use groundrules_board::Layout;
use groundrules_gdl::{Options, read};

/// Public games that people play without a board: matrix games, puzzles of switches and words, bidding, mazes of rooms.
const WITHOUT: &[&str] = &[
    "FARMERS_S.3357493442",
    "aipsrovers01",
    "blocks",
    "blocks2player",
    "blocksWorld",
    "blocksWorldSerial",
    "buttons",
    "colonelBlotto",
    "colonelBlottoVariant",
    "colonelBlottoVariant2",
    "firefighter",
    "gt_attrition",
    "gt_centipede",
    "gt_chicken",
    "gt_coordination",
    "gt_dollar",
    "gt_prisoner",
    "gt_staghunt",
    "gt_tinfoil",
    "gt_two_thirds_2p",
    "gt_two_thirds_4p",
    "gt_two_thirds_6p",
    "guess",
    "hanoi",
    "hanoi7_bugfix",
    "hanoi_6_disks",
    "haystack",
    "hodgepodge",
    "incredible",
    "maze",
    "nim1",
    "nim2",
    "nim3",
    "nim4",
    "onestep",
    "pancakes",
    "pancakes6",
    "pancakes88",
    "pearls",
    "point_grab",
    "roshambo2",
    "ruleDepthExponential",
    "ruleDepthLinear",
    "smallest_4player",
    "stateSpaceLarge",
    "stateSpaceMedium",
    "stateSpaceSmall",
    "duplicateStateLarge",
    "duplicateStateMedium",
    "duplicateStateSmall",
    "switches",
    "troublemaker02",
    "twisty-passages",
    "untwistycomplex2",
    "urmAdd",
    "rubiksCube",
    "rubiksCube.2",
];

/// Public games with a board that a person would draw in another way, by looking at a picture of each game: rings and graphs, which are
/// listed or drawn in a row, walls between cells that are listed, cells with several numbers, and places whose coordinates are in several
/// fluents or nowhere.
const UNLIKE: &[&str] = &[
    "asteroids",
    "asteroidsParallel",
    "asteroidsSerial",
    "catcha_mouse",
    "chickentoetictac",
    "circlesolitaire",
    "coloredtrails",
    "crossers3",
    "cubicup",
    "cubicup_3player",
    "doubletictactoe",
    "doubletoetictac",
    "factoringEasyTurtleBrain",
    "factoringGeorgeForman",
    "factoringImpossibleTurtleBrain",
    "factoringMediumTurtleBrain",
    "hallway",
    "kalaha5x2x3",
    "kalaha6x2x4",
    "kalaha_2009",
    "lightsOn",
    "lightsOnParallel",
    "lightsOnSimul4",
    "lightsOnSimultaneous",
    "merrills",
    "qyshinsu",
    "racer",
    "racer4",
    "simultaneousWin2",
    "toetictac",
    "zhadu",
];

#[test]
fn boards_of_the_public_games() {
    let games = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games");
    let Ok(entries) = fs::read_dir(&games) else {
        groundrules_oracle::skip("the public games are not in ../shared");
        return;
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    paths.sort();
    let (mut table, mut with, mut found) = (String::new(), 0, 0);
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let options = Options { lenient: true, ..Options::default() };
        let Some(game) = read(&fs::read(&path).expect("a file"), &options).game else { continue };
        let layout = Layout::of_game(&game);
        if !WITHOUT.contains(&name.as_str()) {
            with += 1;
            found += usize::from(layout.has_board() && !UNLIKE.contains(&name.as_str()));
        }
        let _ = writeln!(table, "{name}: {}", boards(&layout));
    }
    insta::assert_snapshot!(table);
    assert!(
        found * 100 >= with * 80,
        "{found} of {with} games with a board get the one that a person would draw"
    );
    assert!(with > 200, "{with}");
}

/// The boards of a layout in one line: name, size, tiling, look, cells and pieces.
fn boards(layout: &Layout) -> String {
    let board = |board: &groundrules_board::Board| {
        let pieces: Vec<&str> = board.pieces.iter().take(14).map(|piece| piece.symbol.as_str()).collect();
        format!(
            "{} {}x{} {:?} {:?} {} cells [{}]{}",
            board.name,
            board.columns.len(),
            board.rows.len(),
            board.tiling,
            board.look,
            board.cells.len(),
            pieces.join(" "),
            if board.has_lines { " lines" } else { "" }
        )
    };
    let mut lines: Vec<String> = layout.boards.iter().take(3).map(board).collect();
    if layout.boards.len() > 3 {
        lines.push(format!("{} boards", layout.boards.len()));
    }
    if lines.is_empty() { "no board".to_owned() } else { lines.join("; ") }
}
