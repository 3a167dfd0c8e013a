//! The diagnostics of reading: G1xx.

use crate::diagnostic::{Code, Severity};

/// The codes of this module.
pub static CODES: [&Code; 15] = [
    &UNCLOSED,
    &EXTRA_CLOSE,
    &BAD_CHARACTER,
    &INVALID_UTF8,
    &SYMBOL_TOO_LONG,
    &TOO_DEEP,
    &EMPTY_LIST,
    &TEXT_TOO_LARGE,
    &MIXED_SPELLINGS,
    &UNNAMED_VARIABLE,
    &INVALID_UTF8_COMMENT,
    &INFIX,
    &UNCLOSED_COMMENT,
    &UNKNOWN_DIRECTIVE,
    &INFIX_SYNTAX,
];

pub(super) static UNCLOSED: Code = Code {
    id: "G101",
    severity: Severity::Error,
    title: "a list is never closed",
    explanation: "\
Every `(` needs its `)`. When lists are still open at the end of the text, the reader looks again and takes a line
that begins like a new rule for one, so that each broken rule is reported by itself and the others are still checked.
The innermost open list is the one shown first; the missing `)` belongs somewhere behind it.",
    wrong: "(role white)\n(<= (legal white noop)\n    (true (control black))\n(role black)",
    right: "(role white)\n(<= (legal white noop)\n    (true (control black)))\n(role black)",
};

pub(super) static EXTRA_CLOSE: Code = Code {
    id: "G102",
    severity: Severity::Error,
    title: "a `)` closes nothing",
    explanation: "\
There are more `)` than `(` up to this point. Some programs silently ignore the rest of the file from here on, so the
game they play is not the one that was written. Remove the parenthesis, or add the `(` that is missing before it.",
    wrong: "(role white))\n(role black)",
    right: "(role white)\n(role black)",
};

pub(super) static BAD_CHARACTER: Code = Code {
    id: "G103",
    severity: Severity::Error,
    title: "an invisible character in a symbol",
    explanation: "\
A control character, a no-break space or another character that cannot be seen is part of a symbol. It usually comes
from copying text out of a document, and makes two symbols that look the same differ.",
    wrong: "(role\u{A0}white)",
    right: "(role white)",
};

pub(super) static INVALID_UTF8: Code = Code {
    id: "G104",
    severity: Severity::Error,
    title: "a symbol is not valid UTF-8",
    explanation: "\
Descriptions are UTF-8 text. The bytes of this symbol are not; the file was probably saved in another encoding, or it
is not a text at all. Save it as UTF-8. (The example cannot show the faulty bytes; it shows a name that is fine.)",
    wrong: "",
    right: "(role köchin)",
};

pub(super) static SYMBOL_TOO_LONG: Code = Code {
    id: "G105",
    severity: Severity::Error,
    title: "a symbol is too long",
    explanation: "\
A symbol may have 4,096 bytes. Longer ones are no names that a person wrote; the limit keeps hostile texts from
filling the memory. Usually the spaces of a large part of the file are lost. (No example: it would be long.)",
    wrong: "",
    right: "(role white)",
};

pub(super) static TOO_DEEP: Code = Code {
    id: "G106",
    severity: Severity::Error,
    title: "lists are nested too deep",
    explanation: "\
Lists may nest 10,000 deep. That is enough for the tape of a Turing machine with an input of that length; deeper texts
are refused so that a few megabytes of `(` do no harm. The form in which it happens is left out. (No example: it would
be long.)",
    wrong: "",
    right: "(init (tape nil one (cons one (cons zero nil))))",
};

pub(super) static EMPTY_LIST: Code = Code {
    id: "G107",
    severity: Severity::Error,
    title: "a list is empty",
    explanation: "\
`()` is neither a rule, nor a literal, nor a term. Remove it, or write what should stand in it.",
    wrong: "(role white)\n(<= terminal ())",
    right: "(role white)\n(<= terminal (true (step 9)))",
};

pub(super) static TEXT_TOO_LARGE: Code = Code {
    id: "G108",
    severity: Severity::Error,
    title: "the text is too large",
    explanation: "\
A description may have one gibibyte; a larger file is refused before it is read. (No example: it would be long.)",
    wrong: "",
    right: "(role white)",
};

pub(super) static MIXED_SPELLINGS: Code = Code {
    id: "G109",
    severity: Severity::Warning,
    title: "a name is spelled in two ways",
    explanation: "\
Groundrules compares keywords, symbols and variables without regard to letter case, because some match hosts send
everything in upper case. A description that relies on `X` and `x` being different therefore means something else here,
and one that mixes them by accident is rejected by other programs. Use one spelling.",
    wrong: "(role White)\n(init (control white))",
    right: "(role white)\n(init (control white))",
};

pub(super) static UNNAMED_VARIABLE: Code = Code {
    id: "G110",
    severity: Severity::Warning,
    title: "a variable has no name",
    explanation: "\
A question mark alone is a variable like any other: all its occurrences in a rule stand for the same thing. It is not a
wildcard. Give it a name; a name that begins with `?_` says that the variable is meant to occur only once.",
    wrong: "(<= (busy ?) (true (at ? here)))",
    right: "(<= (busy ?who) (true (at ?who here)))",
};

pub(super) static INVALID_UTF8_COMMENT: Code = Code {
    id: "G111",
    severity: Severity::Warning,
    title: "a comment is not valid UTF-8",
    explanation: "\
The bytes of this comment are not UTF-8. The rules are not affected, and the formatter keeps the bytes as they are, but
other programs may refuse the file. Save it as UTF-8. (The example cannot show the faulty bytes.)",
    wrong: "",
    right: "(role white) ; köstlich",
};

/// The text is not in KIF: its other faults are not reported.
pub static INFIX: Code = Code {
    id: "G112",
    severity: Severity::Error,
    title: "the text is in infix or Prolog syntax",
    explanation: "\
Descriptions are written in KIF: every rule and literal is a list in parentheses that begins with its name. This text
is in the infix syntax (HRF) or in that of Prolog, with the name before the parenthesis. Check it with
`groundrules check --syntax hrf`, and convert it with `groundrules fmt --syntax hrf FILE > game.kif`.",
    wrong: "role(white)\nlegal(W, noop) :- role(W) & ~true(control(W))",
    right: "(role white)\n(<= (legal ?w noop)\n    (role ?w)\n    (not (true (control ?w))))",
};

pub(super) static UNCLOSED_COMMENT: Code = Code {
    id: "G113",
    severity: Severity::Error,
    title: "a block comment is never closed",
    explanation: "\
A comment that begins with `#|` ends with `|#`. Block comments nest: each `#|` inside needs a `|#` of its own. Without
it, the rest of the text is part of the comment.",
    wrong: "(role white)\n#| to be done\n(role black)",
    right: "(role white)\n#| to be done |#\n(role black)",
};

pub(crate) static UNKNOWN_DIRECTIVE: Code = Code {
    id: "G114",
    severity: Severity::Warning,
    title: "a comment sets the level of an unknown diagnostic",
    explanation: "\
A comment `;; groundrules: allow G302` sets how `groundrules check` reports a diagnostic in this file: `allow` leaves it
out, `warn` makes it a warning, `deny` makes it an error. Several codes are separated by spaces. Errors cannot be
allowed: a description with one is not GDL.",
    wrong: ";; groundrules: allow G999\n(role white)",
    right: ";; groundrules: allow G513\n(role white)",
};

pub(super) static INFIX_SYNTAX: Code = Code {
    id: "G115",
    severity: Severity::Error,
    title: "a clause in infix syntax cannot be read",
    explanation: "\
With `--syntax hrf` a description is a sequence of clauses: `head`, or `head :- body`, where `<=` may stand for `:-`. A
full stop may end a clause. The body joins literals by `&` or `,`, negates them by `~`, `not` or `\\+`, and separates
alternatives by `|`. `S != T` stands for `distinct(S, T)`. Variables begin with an upper-case letter, `_` or `?`.
Comments begin with `%` or stand between `/*` and `*/`. (No example: descriptions in KIF do not get this.)",
    wrong: "",
    right: "(role white)",
};
