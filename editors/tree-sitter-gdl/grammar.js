// GDL in the syntax of KIF: lists and words, with the keywords told apart. Letter case does not matter.

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const keyword = (word) => new RegExp(word.split('').map((c) => (/[a-z]/.test(c) ? `[${c}${c.toUpperCase()}]` : c)).join(''));

module.exports = grammar({
  name: 'gdl',

  extras: ($) => [/[\s\uFEFF]/, $.comment, $.block_comment],

  // src/scanner.c: #| … |#, nested.
  externals: ($) => [$.block_comment],

  rules: {
    description: ($) => repeat($._form),

    _form: ($) => choice($.rule, $._expression),

    // (<= head body …)
    rule: ($) => seq('(', $.arrow, optional(seq(field('head', $._expression), repeat(field('condition', $._expression)))), ')'),

    _expression: ($) => choice($.list, $.variable, $.number, $.keyword, $.connective, $.symbol),

    list: ($) => seq('(', optional(seq(field('name', $._expression), repeat($._expression))), ')'),

    arrow: (_) => '<=',
    keyword: (_) =>
      choice(...['role', 'init', 'true', 'does', 'next', 'legal', 'goal', 'terminal', 'base', 'input', 'sees'].map(keyword)),
    connective: (_) => choice(...['not', 'or', 'and', 'distinct'].map(keyword)),

    // Of matches of the same length the first rule wins, so these come before symbols; longer words are symbols.
    number: (_) => /[0-9]+/,
    variable: (_) => /\?[^\s();]*/,
    symbol: (_) => /[^\s();?][^\s();]*/,

    comment: (_) => token(/;[^\r\n]*/),
  },
});
