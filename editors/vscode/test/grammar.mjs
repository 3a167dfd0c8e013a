// Colours without the server: the TextMate grammar, tokenised as VS Code does it. Run by `npm test`.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";

const require = createRequire(import.meta.url);
const wasm = await readFile(require.resolve("vscode-oniguruma/release/onig.wasm"));
await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
const path = new URL("../syntaxes/gdl.tmLanguage.json", import.meta.url);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => textmate.parseRawGrammar(await readFile(path, "utf8"), path.pathname),
});
const grammar = await registry.loadGrammar("source.gdl");

/** The words of a text with their innermost scopes. */
function tokens(text) {
  const found = [];
  let state = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    for (const { startIndex, endIndex, scopes } of result.tokens) {
      const word = line.slice(startIndex, endIndex).trim();
      if (word) {
        found.push([word, scopes.at(-1)]);
      }
    }
  }
  return found;
}

function scope(text, word) {
  const token = tokens(text).find(([found]) => found === word);
  assert.ok(token, `${word} is no token of ${text}: ${JSON.stringify(tokens(text))}`);
  return token[1];
}

const rule = "(<= (next (step ?y)) (TRUE (step 1)) (not (distinct ?y 1up)) goals) ; why";
assert.equal(scope(rule, "<="), "keyword.control.gdl");
assert.equal(scope(rule, "next"), "support.function.gdl");
assert.equal(scope(rule, "TRUE"), "support.function.gdl");
assert.equal(scope(rule, "not"), "keyword.control.gdl");
assert.equal(scope(rule, "step"), "entity.name.function.gdl");
assert.equal(scope(rule, "?y"), "variable.other.gdl");
assert.equal(scope(rule, "1"), "constant.numeric.gdl");
assert.equal(scope(rule, "1up"), "constant.other.gdl");
assert.equal(scope(rule, "goals"), "constant.other.gdl");
assert.equal(scope(rule, "; why"), "comment.line.semicolon.gdl");
assert.equal(scope("terminal", "terminal"), "support.function.gdl");
const block = "#| one\n#| two |# (role a)\n|# (role b)";
assert.equal(scope(block, "(role a)"), "comment.block.gdl");
assert.equal(scope(block, "b"), "constant.other.gdl");

// Every word of the library has a scope of its own, not only the scope of the language.
const games = new URL("../../../games/", import.meta.url);
let words = 0;
for (const name of (await readdir(games)).filter((name) => name.endsWith(".kif"))) {
  for (const [word, found] of tokens(await readFile(new URL(name, games), "utf8"))) {
    assert.notEqual(found, "source.gdl", `${name}: ${word} has no colour`);
    words += 1;
  }
}
assert.ok(words > 1000, "the library has words");
console.log(`ok: ${words} words have colours`);
