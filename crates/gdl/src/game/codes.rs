//! The diagnostics of making rules out of lists: G2xx.

use crate::diagnostic::{Code, Severity};

/// The codes of this module.
pub static CODES: [&Code; 12] = [
    &KEYWORD_ARITY,
    &KEYWORD_PLACE,
    &NOT_A_RELATION,
    &NOT_A_RULE,
    &EMPTY_BODY,
    &SHORT_OR,
    &AND_IN_BODY,
    &ONE_ELEMENT_TERM,
    &ARITY_CLASH,
    &TWO_KINDS,
    &DUPLICATE_ROLE,
    &TOO_MANY_CONNECTIVES,
];

pub(crate) static KEYWORD_ARITY: Code = Code {
    id: "G201",
    severity: Severity::Error,
    title: "a keyword has the wrong number of arguments",
    explanation: "\
Each keyword has a fixed number of arguments: `role`, `init`, `true`, `next`, `base` and `not` one; `does`, `legal`,
`goal`, `input`, `sees` and `distinct` two; `terminal` none. Often a pair of parentheses is missing around the
argument: a fluent with arguments is one term.",
    wrong: "(init cell 1 1 blank)",
    right: "(init (cell 1 1 blank))",
};

pub(crate) static KEYWORD_PLACE: Code = Code {
    id: "G202",
    severity: Severity::Error,
    title: "a keyword stands where it may not",
    explanation: "\
`true` and `does` are what a state and a move give: rules ask for them in bodies and never define them. `init`, `next`
and `sees` are what rules define: they stand in heads only. `distinct`, `not`, `or` and `and` are conditions, so they
stand in bodies only, and `<=` stands only at the beginning of a rule.",
    wrong: "(<= (next (light on)) (next (power on)))",
    right: "(<= (next (light on)) (true (power on)))",
};

pub(crate) static NOT_A_RELATION: Code = Code {
    id: "G203",
    severity: Severity::Error,
    title: "a list or a variable stands where a name must stand",
    explanation: "\
A literal begins with the name of a relation, and a term with arguments begins with the name of a function. A variable
cannot stand there (GDL is first-order), nor can a list.",
    wrong: "(<= terminal ((true (step 9))))",
    right: "(<= terminal (true (step 9)))",
};

pub(crate) static NOT_A_RULE: Code = Code {
    id: "G204",
    severity: Severity::Error,
    title: "a rule without a head",
    explanation: "\
`(<=)` says nothing. A rule is `(<= head body …)`: the head holds when everything in the body does.",
    wrong: "(<=)",
    right: "(<= terminal (true (step 9)))",
};

pub(crate) static EMPTY_BODY: Code = Code {
    id: "G205",
    severity: Severity::Warning,
    title: "a rule without a body",
    explanation: "\
`(<= p)` is read as the fact `p`. If that is what is meant, write the fact; otherwise the conditions are missing.",
    wrong: "(<= (succ 1 2))",
    right: "(succ 1 2)",
};

pub(crate) static SHORT_OR: Code = Code {
    id: "G206",
    severity: Severity::Warning,
    title: "`or` with less than two arguments",
    explanation: "\
`or` with one argument is that argument, and `or` with none is false. Both are usually left over from an edit.",
    wrong: "(<= terminal (or (true (step 9))))",
    right: "(<= terminal (true (step 9)))",
};

pub(crate) static AND_IN_BODY: Code = Code {
    id: "G207",
    severity: Severity::Warning,
    title: "`and` in a body",
    explanation: "\
The literals of a body hold together anyway, so GDL has no `and`. Groundrules understands it, also inside `or` and
`not`, but other programs take it for an unknown relation, which is false. Inside an `or`, make the alternatives rules
of their own.",
    wrong: "(<= terminal (or (true (step 9)) (and (true open) (true idle))))",
    right: "(<= terminal (true (step 9)))\n(<= terminal (true open) (true idle))",
};

pub(crate) static ONE_ELEMENT_TERM: Code = Code {
    id: "G208",
    severity: Severity::Warning,
    title: "a list of one symbol in a term",
    explanation: "\
`(k)` inside a term is read as the constant `k`. Other programs take the two for different terms, so the same
description may play differently there. Write the constant without parentheses.",
    wrong: "(init (next-piece (knight)))",
    right: "(init (next-piece knight))",
};

pub(crate) static ARITY_CLASH: Code = Code {
    id: "G209",
    severity: Severity::Error,
    title: "a relation with two arities",
    explanation: "\
A relation has one number of arguments. With two, an argument was probably forgotten somewhere, and the literal that
lacks it never holds. With `--lenient` names are taken apart by their number of arguments, and this is a warning.",
    wrong: "(succ 1 2)\n(<= (big ?x) (succ 1 ?x) (succ ?x))",
    right: "(succ 1 2)\n(last 2)\n(<= (big ?x) (succ 1 ?x) (last ?x))",
};

pub(crate) static TWO_KINDS: Code = Code {
    id: "G210",
    severity: Severity::Warning,
    title: "a name is used for two kinds of things",
    explanation: "\
Relations, functions and constants have name spaces of their own, so a relation `control` and a fluent `(control w)`
are two different things. That is allowed, but a literal with a forgotten `true` looks just like it. Use two names.",
    wrong: "(init (control white))\n(<= (legal white go) (control white))",
    right: "(init (control white))\n(<= (legal white go) (true (control white)))",
};

pub(crate) static DUPLICATE_ROLE: Code = Code {
    id: "G212",
    severity: Severity::Warning,
    title: "a role is given twice",
    explanation: "\
The roles are taken in the order of the text, each once. A second fact for the same role changes nothing.",
    wrong: "(role white)\n(role white)",
    right: "(role white)\n(role black)",
};

pub(crate) static TOO_MANY_CONNECTIVES: Code = Code {
    id: "G213",
    severity: Severity::Error,
    title: "conditions are nested too deep",
    explanation: "\
`not`, `or` and `and` may nest 100 deep. No person writes such rules; the limit keeps hostile texts harmless. Give a
part of the condition a name of its own. (No example: it would be long.)",
    wrong: "",
    right: "(<= over (true (step 9)))\n(<= over (not (true open)))\n(<= terminal over)",
};
