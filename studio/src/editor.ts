// The editor: CodeMirror with what the engine knows of the text.
import { EditorState, type Extension, type Text } from '@codemirror/state'
import { EditorView, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, drawSelection, hoverTooltip } from '@codemirror/view'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching } from '@codemirror/language'
import { closeBrackets, closeBracketsKeymap, autocompletion, completionKeymap, type CompletionContext } from '@codemirror/autocomplete'
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { searchKeymap, highlightSelectionMatches } from '@codemirror/search'
import { gdl } from './gdl'
import { h, replace, $ } from './dom'
import type { Engine } from './engine'

interface Edit { from: number; to: number; insert: string }
interface Found {
  code: string; title: string; severity: 'error' | 'warning' | 'info'; from: number; to: number; message: string; here: string
  help: string[]; fixes: { title: string; safe: boolean; edits: Edit[] }[]
}
export interface Report { verdict: string; words: string; reason: string | null; playable: boolean; diagnostics: Found[]; figures: any; omitted: Record<string, number> }

/** How long after the last key the text is read again, in milliseconds: not at all while the engine keeps up. */
const PAUSE = 10

export class Editor {
  readonly view: EditorView
  report?: Report
  /** How long the last reading took, from the key press, in milliseconds. */
  latency: number[] = []
  private timer = 0
  /** The text that the engine has, and the reading that is under way. */
  private read?: Text
  private reading?: Promise<void>
  private pressed = 0

  constructor(parent: HTMLElement, private engine: Engine, private changed: (report: Report, text: string) => void, private failed: (error: Error) => void,
    /** The engine that has compiled a text, if there is one: it knows the instances of rules. */
    private compiled: (text: string) => Engine | undefined) {
    this.view = new EditorView({ parent, state: EditorState.create({ extensions: this.extensions() }) })
    // It scrolls, so the keyboard must reach it.
    this.view.scrollDOM.tabIndex = 0
    $('#format').addEventListener('click', () => this.format())
    $('#problems-toggle').addEventListener('click', () => {
      const problems = $('#problems')
      problems.hidden = !problems.hidden
      $('#problems-toggle').setAttribute('aria-expanded', String(!problems.hidden))
    })
  }

  get text() { return this.view.state.doc.toString() }

  /** Shows another text. */
  show(text: string) {
    this.view.setState(EditorState.create({ doc: text, extensions: this.extensions() }))
    this.report = undefined
    this.schedule(0)
  }

  private extensions(): Extension {
    return [
      lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), history(), bracketMatching(), closeBrackets(),
      highlightSelectionMatches(), lintGutter(), gdl(), EditorView.lineWrapping,
      autocompletion({ override: [(context) => this.complete(context)] }),
      hoverTooltip((_, at) => this.hover(at), { hoverTime: 250 }),
      EditorView.contentAttributes.of({ 'aria-label': 'Description in GDL' }),
      keymap.of([
        { key: 'F12', run: () => { this.definition(); return true } },
        { key: 'F2', run: () => { this.rename(); return true } },
        { key: 'Shift-Alt-f', run: () => { this.format(); return true } },
        ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap, indentWithTab,
      ]),
      EditorView.domEventHandlers({
        mousedown: (event, view) => {
          if (!(event.ctrlKey || event.metaKey)) return false
          const at = view.posAtCoords({ x: event.clientX, y: event.clientY })
          if (at !== null) this.definition(at)
          return true
        },
      }),
      EditorView.updateListener.of((update) => { if (update.docChanged) this.schedule(PAUSE) }),
    ]
  }

  private schedule(pause: number) {
    this.pressed = performance.now()
    clearTimeout(this.timer)
    this.timer = window.setTimeout(() => this.catchUp().catch(this.failed), pause)
  }

  /** Has the engine read the text as it is now. */
  private async catchUp() {
    while (this.read !== this.view.state.doc) await (this.reading ??= this.send().finally(() => { this.reading = undefined }))
  }

  private async send() {
    const doc = this.view.state.doc, pressed = this.pressed
    const text = doc.toString()
    const report: Report = await this.engine.ask({ do: 'open', text })
    this.read = doc
    if (doc !== this.view.state.doc) return
    this.report = report
    this.mark(report)
    this.latency.push(performance.now() - pressed)
    this.changed(report, text)
  }

  private mark(report: Report) {
    const most = this.view.state.doc.length
    const shown: Diagnostic[] = report.diagnostics.map((found) => ({
      from: Math.min(found.from, most), to: Math.min(Math.max(found.to, found.from), most),
      severity: found.severity, source: found.code, message: [found.message, ...found.help].join('\n'),
      actions: found.fixes.slice(0, 4).map((fix) => ({ name: fix.title, apply: () => this.apply(fix.edits) })),
    }))
    this.view.dispatch(setDiagnostics(this.view.state, shown))
    const errors = report.diagnostics.filter((found) => found.severity === 'error').length
    const warnings = report.diagnostics.filter((found) => found.severity === 'warning').length
    const chip = $('#verdict')
    chip.className = `chip ${errors ? 'bad' : warnings ? 'warm' : 'good'}`
    chip.textContent = errors ? `${errors} ${errors === 1 ? 'error' : 'errors'}` : report.words
    chip.title = report.reason ?? report.words
    $('#problems-toggle').textContent = report.diagnostics.length ? `Problems (${report.diagnostics.length})` : 'No problems'
    this.list(report)
  }

  private list(report: Report) {
    const line = (at: number) => this.view.state.doc.lineAt(Math.min(at, this.view.state.doc.length)).number
    replace($('#problems'), report.diagnostics.slice(0, 100).map((found) => h('div', { class: 'found' },
      h('button', { class: `problem ${found.severity}`, onclick: () => this.reveal(found.from, found.to) },
        h('b', {}, found.code), h('span', { class: 'grow' }, found.message,
          ...found.help.map((help) => h('small', {}, help))), h('small', {}, `line ${line(found.from)}`)),
      found.fixes.length > 0 && h('div', { class: 'row fixes', style: 'padding: 4px 12px' },
        ...found.fixes.slice(0, 3).map((fix) => h('button', { onclick: () => this.apply(fix.edits) }, `Fix: ${fix.title}`))))))
  }

  /** Asks about the text as it is now. Places in the answer fit no other text, so there is none if it changes meanwhile. */
  private async ask(question: Record<string, unknown>): Promise<any> {
    await this.catchUp()
    const doc = this.view.state.doc
    const answer = await this.engine.ask(question)
    return doc === this.view.state.doc ? answer : undefined
  }

  apply(edits: Edit[]) {
    if (edits.length) this.view.dispatch({ changes: edits, userEvent: 'input' })
  }

  reveal(from: number, to: number) {
    document.body.dataset.pane = 'editor'
    this.view.dispatch({ selection: { anchor: from, head: Math.min(to, this.view.state.doc.length) }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
    this.view.focus()
  }

  async format() { try { this.apply(await this.ask({ do: 'format' }) ?? []) } catch (error) { this.failed(error as Error) } }

  private async definition(at = this.view.state.selection.main.head) {
    try {
      const { definitions, uses } = await this.ask({ do: 'names', at }) ?? { definitions: [], uses: [] }
      const to = definitions.find(([from, end]: number[]) => at < from || at > end) ?? definitions[0] ?? uses[0]
      if (to) this.reveal(to[0], to[1])
    } catch (error) { this.failed(error as Error) }
  }

  private async rename() {
    const at = this.view.state.selection.main.head
    try {
      const asked = await this.ask({ do: 'rename', at })
      const name = asked && window.prompt(`New name for ${asked.text}`, asked.text)
      if (name && name !== asked.text) this.apply(await this.ask({ do: 'rename', at, name }) ?? [])
    } catch (error) { this.failed(error as Error) }
  }

  private async complete(context: CompletionContext) {
    const word = context.matchBefore(/[(?\w<=-]+/)
    if (!word && !context.explicit) return null
    const items: { label: string; detail: string; rank: number; edit: Edit }[] = await this.ask({ do: 'complete', at: context.pos }).catch(() => []) ?? []
    if (!items.length) return null
    return {
      from: items[0].edit.from, filter: true,
      options: items.map((item) => ({
        label: item.edit.insert.trim().split('\n')[0] || item.label, displayLabel: item.label, detail: item.detail, boost: -item.rank,
        apply: (view: EditorView) => view.dispatch({ changes: { from: item.edit.from, to: context.pos, insert: item.edit.insert }, selection: { anchor: item.edit.from + item.edit.insert.length } }),
      })),
    }
  }

  private async hover(at: number) {
    const compiled = this.compiled(this.text), question = { do: 'hover', at }
    const found = await (compiled ? compiled.ask(question) : this.ask(question)).catch(() => null)
    if (!found) return null
    return { pos: found.from, end: found.to, above: true, create: () => ({ dom: markdown(found.markdown) }) }
  }
}

/** The little Markdown that hover texts have: paragraphs, code, lists, bold. */
export function markdown(text: string): HTMLElement {
  const inline = (line: string) => line.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) =>
    part.startsWith('`') ? h('code', {}, part.slice(1, -1)) : part.startsWith('**') ? h('b', {}, part.slice(2, -2)) : part)
  const out = h('div', { class: 'hover' })
  const blocks = text.split(/^```\w*\n([\s\S]*?)\n```$/m)
  blocks.forEach((block, number) => {
    if (number % 2) out.append(h('pre', {}, block))
    else for (const part of block.split(/\n\n+/)) {
      const lines = part.split('\n').filter((line) => line.trim())
      if (!lines.length) continue
      if (lines.every((line) => /^[-*] /.test(line))) out.append(h('ul', {}, lines.map((line) => h('li', {}, inline(line.slice(2))))))
      else out.append(h('p', {}, lines.flatMap((line) => [...inline(line), ' '])))
    }
  })
  return out
}
