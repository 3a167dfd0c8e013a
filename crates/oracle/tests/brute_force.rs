//! The oracle against something still simpler: random rules over four terms, instantiated in every way and
//! evaluated by the alternating fixpoint of the well-founded semantics. On rules without a cycle through
//! negation among atoms, the only ones the oracle answers for, both must give the same atoms.

use std::collections::BTreeSet;

use groundrules_gdl::{Game, Options, read};
use groundrules_oracle::{Budget, Oracle};
use proptest::prelude::*;

const UNIVERSE: [&str; 4] = ["a", "b", "(g a)", "(g b)"];
const VARIABLES: [&str; 3] = ["?x", "?y", "?z"];
/// The relations that the rules define, with their arities; the first three are given.
const RELATIONS: [(&str, usize); 8] =
    [("d", 1), ("e", 2), ("k", 1), ("p", 1), ("q", 2), ("r", 2), ("s", 1), ("t", 0)];
const GIVEN: usize = 3;

#[derive(Clone, Debug)]
enum Condition {
    Atom(bool, usize, Vec<String>),
    Equal(bool, String, String),
    Or(Vec<Vec<Condition>>),
}

#[derive(Clone, Debug)]
struct Rule {
    relation: usize,
    arguments: Vec<String>,
    body: Vec<Condition>,
}

type Atoms = BTreeSet<String>;

fn term() -> impl Strategy<Value = String> {
    let variable = prop::sample::select(&VARIABLES[..]);
    let term = prop_oneof![6 => variable, 2 => Just("a"), 1 => Just("(g a)"), 2 => Just("(g ?x)")];
    term.prop_map(str::to_owned)
}

fn atom(below: usize) -> impl Strategy<Value = (usize, Vec<String>)> {
    let terms = prop::collection::vec(term(), 2);
    (0..below, terms).prop_map(|(relation, terms)| (relation, terms[..RELATIONS[relation].1].to_vec()))
}

/// A literal for a rule of a relation. Negation mostly looks down, so that most programs are stratified.
fn literal(head: usize) -> impl Strategy<Value = Condition> {
    let all = RELATIONS.len();
    prop_oneof![
        6 => atom(all).prop_map(|(relation, terms)| Condition::Atom(true, relation, terms)),
        3 => atom(head).prop_map(|(relation, terms)| Condition::Atom(false, relation, terms)),
        1 => atom(all).prop_map(|(relation, terms)| Condition::Atom(false, relation, terms)),
        1 => (any::<bool>(), term(), term()).prop_map(|(sign, s, t)| Condition::Equal(sign, s, t)),
    ]
}

fn condition(head: usize) -> impl Strategy<Value = Condition> {
    literal(head).prop_recursive(2, 8, 3, |inner| {
        let alternative = prop::collection::vec(inner, 0..3);
        prop::collection::vec(alternative, 0..4).prop_map(Condition::Or)
    })
}

fn rule() -> impl Strategy<Value = Rule> {
    (GIVEN..RELATIONS.len()).prop_flat_map(|relation| {
        let head = prop::collection::vec(
            prop::sample::select(&["?x", "?y", "a", "(g b)"][..]),
            RELATIONS[relation].1,
        );
        (head, prop::collection::vec(condition(relation), 0..4)).prop_map(move |(head, body)| {
            make_safe(Rule { relation, arguments: head.into_iter().map(str::to_owned).collect(), body })
        })
    })
}

/// Adds `(d ?v)` for each variable that no positive literal of the conjunction binds; `d` holds of
/// everything.
fn make_safe(mut rule: Rule) -> Rule {
    let text = rule_text(&rule);
    for variable in VARIABLES.iter().filter(|&&variable| text.contains(variable)) {
        let binds = |condition: &Condition| match condition {
            Condition::Atom(true, _, terms) => terms.iter().any(|term| term.contains(variable)),
            _ => false,
        };
        if !rule.body.iter().any(binds) {
            rule.body.push(Condition::Atom(true, 0, vec![(*variable).to_owned()]));
        }
    }
    rule
}

fn atom_text(relation: usize, arguments: &[String]) -> String {
    let name = RELATIONS[relation].0;
    if arguments.is_empty() { name.to_owned() } else { format!("({name} {})", arguments.join(" ")) }
}

fn condition_text(condition: &Condition) -> String {
    match condition {
        Condition::Atom(true, relation, terms) => atom_text(*relation, terms),
        Condition::Atom(false, relation, terms) => format!("(not {})", atom_text(*relation, terms)),
        Condition::Equal(true, left, right) => format!("(not (distinct {left} {right}))"),
        Condition::Equal(false, left, right) => format!("(distinct {left} {right})"),
        Condition::Or(alternatives) => {
            let all = |parts: &Vec<Condition>| parts.iter().map(condition_text).collect::<Vec<_>>().join(" ");
            format!(
                "(or {})",
                alternatives.iter().map(|parts| format!("(and {})", all(parts))).collect::<String>()
            )
        }
    }
}

fn rule_text(rule: &Rule) -> String {
    let body: Vec<String> = rule.body.iter().map(condition_text).collect();
    format!("(<= {} {})", atom_text(rule.relation, &rule.arguments), body.join(" "))
}

/// A rule with each variable replaced by a term.
fn instance(condition: &Condition, put: &impl Fn(&String) -> String) -> Condition {
    let all = |terms: &[String]| terms.iter().map(put).collect();
    match condition {
        Condition::Atom(sign, relation, terms) => Condition::Atom(*sign, *relation, all(terms)),
        Condition::Equal(sign, left, right) => Condition::Equal(*sign, put(left), put(right)),
        Condition::Or(alternatives) => {
            let inside = |parts: &Vec<Condition>| parts.iter().map(|part| instance(part, put)).collect();
            Condition::Or(alternatives.iter().map(inside).collect())
        }
    }
}

/// All the instances of the rules: heads with bodies.
fn instances(rules: &[Rule]) -> Vec<(String, Vec<Condition>)> {
    let mut found = Vec::new();
    for rule in rules {
        for number in 0..UNIVERSE.len().pow(3) {
            let value = |place: u32| UNIVERSE[number / UNIVERSE.len().pow(place) % UNIVERSE.len()];
            let put = |term: &String| {
                (0..3).fold(term.clone(), |term, place| term.replace(VARIABLES[place as usize], value(place)))
            };
            let head = atom_text(rule.relation, &rule.arguments.iter().map(put).collect::<Vec<_>>());
            found.push((head, rule.body.iter().map(|part| instance(part, &put)).collect()));
        }
    }
    found
}

/// Whether a ground condition holds, positive literals judged by one set of atoms and negative ones by
/// another.
fn holds(condition: &Condition, positive: &Atoms, negative: &Atoms) -> bool {
    match condition {
        Condition::Atom(true, relation, terms) => positive.contains(&atom_text(*relation, terms)),
        Condition::Atom(false, relation, terms) => !negative.contains(&atom_text(*relation, terms)),
        Condition::Equal(sign, left, right) => (left == right) == *sign,
        Condition::Or(alternatives) => {
            alternatives.iter().any(|parts| parts.iter().all(|part| holds(part, positive, negative)))
        }
    }
}

/// The least set closed under the rules when negative literals are judged by `assumed`.
fn closure(rules: &[(String, Vec<Condition>)], given: &Atoms, assumed: &Atoms) -> Atoms {
    let mut atoms = given.clone();
    loop {
        let met =
            |(_, body): &&(String, Vec<Condition>)| body.iter().all(|part| holds(part, &atoms, assumed));
        let new: Vec<String> = rules.iter().filter(met).map(|(head, _)| head.clone()).collect();
        let before = atoms.len();
        atoms.extend(new);
        if atoms.len() == before {
            return atoms;
        }
    }
}

/// What surely holds and what possibly holds, by the alternating fixpoint.
fn well_founded(rules: &[(String, Vec<Condition>)], given: &Atoms) -> (Atoms, Atoms) {
    let mut sure = Atoms::new();
    loop {
        let possible = closure(rules, given, &sure);
        let surer = closure(rules, given, &possible);
        if surer == sure {
            return (sure, possible);
        }
        sure = surer;
    }
}

fn given(edges: &[(usize, usize)], keys: &[usize]) -> Atoms {
    let domain = UNIVERSE.iter().map(|term| format!("(d {term})"));
    let edges = edges.iter().map(|&(from, to)| format!("(e {} {})", UNIVERSE[from], UNIVERSE[to]));
    domain.chain(edges).chain(keys.iter().map(|&key| format!("(k {})", UNIVERSE[key]))).collect()
}

fn by_oracle(game: &Game) -> Atoms {
    let mut oracle = Oracle::new(game, Budget::steps(50_000_000)).unwrap();
    let first = oracle.initial_state();
    let mut atoms = Atoms::new();
    for (relation, (name, arity)) in RELATIONS.iter().enumerate() {
        let Some(id) = game.symbols().find(name).and_then(|symbol| game.find_relation(symbol, *arity)) else {
            continue;
        };
        for row in oracle.atoms(id, &first, None).unwrap() {
            let words: Vec<String> = row.iter().map(|&term| oracle.kif(term).unwrap()).collect();
            atoms.insert(atom_text(relation, &words));
        }
    }
    atoms
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, max_global_rejects: 10_000, ..Default::default() })]

    #[test]
    fn the_oracle_finds_what_brute_force_finds(
        rules in prop::collection::vec(rule(), 1..8),
        edges in prop::collection::vec((0..4_usize, 0..4_usize), 0..6),
        keys in prop::collection::vec(0..4_usize, 0..3),
        dynamic in any::<bool>(),
    ) {
        let given = given(&edges, &keys);
        let mut text = "(role you) (legal you go) (goal you 0) (<= terminal (true over))\n".to_owned();
        for fact in &given {
            // The given atoms stand in the rules, or come from the state by way of a fluent.
            let fluent = fact.replacen('(', "(fluent_", 1);
            text += &if dynamic { format!("(init {fluent})\n") } else { format!("{fact}\n") };
        }
        if dynamic {
            text += "(<= (d ?x) (true (fluent_d ?x))) (<= (e ?x ?y) (true (fluent_e ?x ?y)))\n";
            text += "(<= (k ?x) (true (fluent_k ?x)))\n";
        }
        rules.iter().for_each(|rule| text += &(rule_text(rule) + "\n"));
        let checked = read(text.as_bytes(), &Options { lenient: true, ..Options::default() });
        let Some(game) = checked.game else {
            let unstratified = checked.diagnostics.iter().any(|diagnostic| diagnostic.code.id == "G403");
            prop_assert!(unstratified, "refused for another reason: {:?}", checked.reason);
            return Err(TestCaseError::reject("not stratified"));
        };
        let (sure, possible) = well_founded(&instances(&rules), &given);
        prop_assert_eq!(&sure, &possible, "the checks let a cycle through negation pass: {}", text);
        prop_assert_eq!(by_oracle(&game), sure, "{}", text);
    }
}
