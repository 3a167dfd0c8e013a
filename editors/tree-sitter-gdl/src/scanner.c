// Block comments, #| … |#, which nest; a regular expression cannot say that. It has no state between tokens.

#include "tree_sitter/parser.h"

enum Token { BLOCK_COMMENT };

void *tree_sitter_gdl_external_scanner_create(void) { return NULL; }
void tree_sitter_gdl_external_scanner_destroy(void *scanner) {}
unsigned tree_sitter_gdl_external_scanner_serialize(void *scanner, char *buffer) { return 0; }
void tree_sitter_gdl_external_scanner_deserialize(void *scanner, const char *buffer, unsigned length) {}

static bool is_space(int32_t c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xFEFF; }

bool tree_sitter_gdl_external_scanner_scan(void *scanner, TSLexer *lexer, const bool *valid) {
  if (!valid[BLOCK_COMMENT]) return false;
  while (is_space(lexer->lookahead)) lexer->advance(lexer, true);
  if (lexer->lookahead != '#') return false;
  lexer->advance(lexer, false);
  if (lexer->lookahead != '|') return false;
  lexer->advance(lexer, false);
  unsigned depth = 1;
  while (depth > 0 && !lexer->eof(lexer)) {
    int32_t c = lexer->lookahead;
    lexer->advance(lexer, false);
    if (c == '#' && lexer->lookahead == '|') {
      depth++;
      lexer->advance(lexer, false);
    } else if (c == '|' && lexer->lookahead == '#') {
      depth--;
      lexer->advance(lexer, false);
    }
  }
  lexer->result_symbol = BLOCK_COMMENT;
  // One that is never closed is an error, and its text is read as words.
  return depth == 0;
}
