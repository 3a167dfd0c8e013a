// GDL for CodeMirror: words and their colours. What a text means is known to the engine.
import { StreamLanguage, LanguageSupport, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { tags } from '@lezer/highlight'

const keywords = new Set(['role', 'init', 'true', 'does', 'next', 'legal', 'goal', 'terminal', 'base', 'input', 'sees'])
const connectives = new Set(['<=', 'not', 'or', 'and', 'distinct'])

const parser = StreamLanguage.define<{ head: boolean }>({
  name: 'gdl',
  startState: () => ({ head: false }),
  token(stream, state) {
    if (stream.eatSpace()) return null
    if (stream.eat(';')) { stream.skipToEnd(); return 'comment' }
    if (stream.eat('(')) { state.head = true; return 'paren' }
    if (stream.eat(')')) { state.head = false; return 'paren' }
    stream.eatWhile(/[^\s();]/)
    const word = stream.current().toLowerCase()
    const head = state.head
    state.head = false
    if (word.startsWith('?')) return 'variableName'
    if (connectives.has(word)) return 'operator'
    if (keywords.has(word)) return 'keyword'
    if (/^-?\d+$/.test(word)) return 'number'
    return head ? 'name' : 'atom'
  },
  tokenTable: {
    comment: tags.comment, paren: tags.paren, variableName: tags.variableName, operator: tags.operatorKeyword,
    keyword: tags.keyword, number: tags.number, name: tags.function(tags.name), atom: tags.atom,
  },
  languageData: { commentTokens: { line: ';' }, closeBrackets: { brackets: ['('] } },
})

const style = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--comment)', fontStyle: 'italic' },
  { tag: tags.paren, color: 'var(--faint)' },
  { tag: tags.variableName, color: 'var(--variable)' },
  { tag: tags.operatorKeyword, color: 'var(--operator)' },
  { tag: tags.keyword, color: 'var(--keyword)', fontWeight: '600' },
  { tag: tags.number, color: 'var(--number)' },
  { tag: tags.function(tags.name), color: 'var(--name)' },
  { tag: tags.atom, color: 'var(--text)' },
])

export const gdl = () => new LanguageSupport(parser, [syntaxHighlighting(style)])
