//! What each rule of a description made is counted.

use groundrules_gdl::read;
use groundrules_ground::{Options, ground};

#[test]
fn instances_are_counted_by_rule() {
    let text = "(role a) (n 1) (n 2) (n 3) (init (at 1))
        (<= (legal a (go ?x)) (n ?x))
        (<= (next (at ?x)) (does a (go ?x)))
        (<= terminal (true (at 3)))
        (goal a 100)";
    let game = read(text.as_bytes(), &groundrules_gdl::Options::default()).game.expect("valid");
    let ground = ground(&game, &Options::default()).expect("small");
    assert_eq!(ground.made_by_rule.len(), game.rules().len());
    let made = |relation| {
        let rule = game.rules().iter().position(|rule| game.relation_name(rule.head.relation) == relation);
        ground.made_by_rule[rule.expect("a rule")]
    };
    assert_eq!((made("legal").atoms, made("terminal").rules), (3, 1));
    assert!(made("next").rules >= 1, "{:?}", ground.made_by_rule);
}
