// The pane Inspect: verdicts, figures, atoms with their reasons, ground rules, the network, dependencies.
import { $, figure, h, replace } from './dom'
import type { Match } from './match'
import type { Editor } from './editor'
import { Verdicts } from './verdicts'

export class InspectPane {
  private figures = h('div', { class: 'figures' })
  private atoms = h('div', { class: 'list' })
  private why = h('div', { class: 'proof', 'aria-live': 'polite' })
  private rules = h('div', { class: 'list' })
  private network = h('div')
  private graph = h('div')
  private search = h('input', { type: 'search', placeholder: 'legal, cell, goal …', 'aria-label': 'Search atoms', class: 'grow', style: 'width:100%', oninput: () => this.listAtoms() })
  private asked = h('input', { type: 'text', placeholder: '(legal white (mark 1 1))', 'aria-label': 'Atom', class: 'grow', style: 'flex:1; min-width:0', onkeydown: (event: KeyboardEvent) => { if (event.key === 'Enter') this.explain(this.asked.value) } })
  private zoom = 1

  constructor(private match: Match, private editor: () => Editor, complain: (text: string) => void) {
    const rules = h('input', { type: 'search', placeholder: 'words of a ground rule', 'aria-label': 'Search ground rules', style: 'width:100%', oninput: (event: Event) => this.ground((event.target as HTMLInputElement).value) })
    const around = h('input', { type: 'text', placeholder: 'an atom, such as (true (cell 1 1 b)) or terminal', 'aria-label': 'Atom of the network', style: 'flex:1; min-width:0', value: 'terminal', onkeydown: (event: KeyboardEvent) => { if (event.key === 'Enter') this.draw(around.value) } })
    const section = (title: string, open: boolean, ...inner: (Node | string)[]) => h('details', { class: 'card', open }, h('summary', {}, h('b', {}, title)), ...inner)
    $('#pane-inspect').append(
      section('Figures', true, this.figures),
      section('Why?', true, h('p', { class: 'soft' }, 'Why does an atom hold in this state, or why not? Choose one below, or write it.'),
        h('div', { class: 'row' }, this.asked, h('button', { onclick: () => this.explain(this.asked.value) }, 'Why?')), this.why),
      section('Atoms in this state', true, this.search, this.atoms),
      section('Verdicts', false, new Verdicts(match, complain).element),
      section('Ground rules', false, rules, this.rules),
      section('Network', false, h('div', { class: 'row', style: 'margin:6px 0' }, around, h('button', { onclick: () => this.draw(around.value) }, 'Draw'),
        h('button', { class: 'icon', 'aria-label': 'Smaller', onclick: () => this.scale(1 / 1.3) }, '−'), h('button', { class: 'icon', 'aria-label': 'Larger', onclick: () => this.scale(1.3) }, '+')), this.network),
      section('Dependencies', false, h('button', { onclick: () => this.dependencies() }, 'Draw'), this.graph))
    match.addEventListener('change', () => this.show())
    this.show()
  }

  private shown?: unknown
  private show() {
    const { compiled, state } = this.match
    if (!compiled || !state) { replace(this.figures, h('p', { class: 'soft' }, 'Nothing is compiled.')); replace(this.atoms); this.shown = undefined; return }
    if (this.shown === state) return
    this.shown = state
    const checked = this.editor().report?.figures
    const item = (value: unknown, name: string) => value === null || value === undefined ? null : h('div', {}, h('b', {}, typeof value === 'number' ? figure(value) : String(value)), h('span', {}, name))
    replace(this.figures, item(compiled.engine, 'engine'), item(compiled.roles.length, 'roles'), item(checked?.rules, 'rules'), item(checked?.relations, 'relations'),
      item(compiled.fluents, 'fluents'), item(compiled.moves, 'moves'), item(compiled.rules, 'ground rules'), item(compiled.gates, 'gates'))
    if (compiled.engine === 'tree') this.figures.append(h('p', { class: 'soft', style: 'grid-column:1/-1' }, `The rules are interpreted: ${compiled.why}`))
    replace(this.why)
    this.listAtoms()
  }

  private timer = 0
  private listAtoms() {
    clearTimeout(this.timer)
    this.timer = window.setTimeout(async () => {
      if ($('#pane-inspect').hidden) { this.shown = undefined; return }
      try {
        const { atoms, found } = await this.match.engine.ask({ do: 'atoms', search: this.search.value })
        replace(this.atoms, (atoms as [string, boolean][]).slice(0, 150).map(([atom, holds]) => h('button', { class: 'atom', onclick: () => { this.asked.value = atom; this.explain(atom) } },
          h('span', { class: holds ? 'yes' : 'no' }, holds ? '✓' : '✗'), h('span', {}, atom))), found > 150 && h('p', { class: 'soft' }, `${figure(found)} in all: search to see others.`))
      } catch (error) { replace(this.atoms, h('p', { class: 'soft' }, (error as Error).message)) }
    }, 150)
  }

  /** Called when the pane is shown. */
  visible() { this.show() }

  async explain(atom: string) {
    if (!atom.trim()) return
    replace(this.why, h('p', { class: 'soft' }, '…'))
    try {
      const found = await this.match.engine.ask({ do: 'why', atom })
      if (found.text) replace(this.why, h('pre', {}, found.text))
      else replace(this.why, h('ul', {}, this.proof(found.proof, 0)))
    } catch (error) { replace(this.why, h('p', { class: 'soft' }, (error as Error).message)) }
  }

  private proof(node: any, depth: number): HTMLElement {
    const head = h('span', { class: 'kif' }, h('span', { class: node.holds ? 'yes' : 'no' }, node.holds ? '✓ ' : '✗ '), node.atom, node.said ? h('span', { class: 'soft' }, ` – ${node.said}`) : null)
    if (!node.rules?.length) return h('li', {}, head, !node.said && !node.holds ? h('span', { class: 'soft' }, ' – no rule gives it') : null)
    return h('li', {}, h('details', { open: depth < 3 }, h('summary', {}, head), node.rules.map((rule: any) => h('ul', {},
      !rule.literals.length && h('li', { class: 'soft' }, 'a fact'),
      rule.literals.map((literal: any) => literal.because && !literal.because.said && literal.text === literal.because.atom ? this.proof(literal.because, depth + 1)
        : h('li', { class: 'kif' }, h('span', { class: literal.satisfied ? 'yes' : 'no' }, literal.satisfied ? '✓ ' : '✗ '), literal.text,
          literal.because?.rules?.length ? h('ul', {}, this.proof(literal.because, depth + 1)) : null)))),
      node.more > 0 && h('p', { class: 'soft' }, `and ${node.more} more rules that fail`)))
  }

  private rulesTimer = 0
  private ground(search: string) {
    clearTimeout(this.rulesTimer)
    this.rulesTimer = window.setTimeout(async () => {
      try {
        const found = await this.match.engine.ask({ do: 'ground', search })
        replace(this.rules, h('p', { class: 'soft' }, `${figure(found.found)} of ${figure(found.all)} ground rules`), found.rules.slice(0, 200).map((rule: string) => h('pre', {}, rule)))
      } catch (error) { replace(this.rules, h('p', { class: 'soft' }, (error as Error).message)) }
    }, 200)
  }

  private async draw(atom: string) {
    try {
      const found = await this.match.engine.ask({ do: 'network', atom: atom.trim() || null, most: 60 })
      if (!found.svg) { replace(this.network, h('p', { class: 'soft' }, `The network has ${figure(found.gates)} gates. Name an atom to see what is around it.`)); return }
      const svg = new DOMParser().parseFromString(found.svg, 'image/svg+xml').documentElement
      const holder = h('div', { class: 'network', tabindex: '0', role: 'img', 'aria-label': `Network around ${atom}` })
      holder.append(document.importNode(svg, true))
      replace(this.network, h('p', { class: 'soft' }, `${found.shown} of ${figure(found.nodes)} nodes`), holder)
      this.zoom = 1
    } catch (error) { replace(this.network, h('p', { class: 'soft' }, (error as Error).message)) }
  }

  private scale(by: number) {
    const svg = this.network.querySelector('svg')
    if (!svg) return
    this.zoom = Math.max(.2, Math.min(6, this.zoom * by))
    const [, , wide, high] = (svg.getAttribute('viewBox') ?? '0 0 600 400').split(' ').map(Number)
    svg.setAttribute('width', String(wide * this.zoom)); svg.setAttribute('height', String(high * this.zoom))
  }

  private async dependencies() {
    try {
      await this.match.engine.ask({ do: 'open', text: this.match.text })
      const graph = await this.match.engine.ask({ do: 'dependencies' })
      replace(this.graph, h('div', { class: 'network', tabindex: '0', role: 'img', 'aria-label': 'Relations and what they depend on' }, drawGraph(graph)))
    } catch (error) { replace(this.graph, h('p', { class: 'soft' }, (error as Error).message)) }
  }
}

/** Relations in layers, what they depend on at the left; negative dependencies are dashed. */
function drawGraph(graph: { nodes: { name: string; dynamic: boolean; recursive: boolean; keyword: boolean; rules: number }[]; edges: [number, number, boolean][] }): SVGSVGElement {
  const SVG = 'http://www.w3.org/2000/svg', layer = graph.nodes.map(() => 0)
  for (let pass = 0; pass < Math.min(40, graph.nodes.length); pass++) {
    for (const [from, to] of graph.edges) if (from !== to && layer[from] <= layer[to] && layer[to] < 12) layer[from] = layer[to] + 1
  }
  const columns: number[][] = []
  layer.forEach((at, node) => (columns[at] ??= []).push(node))
  const used = columns.filter(Boolean), place = new Map<number, [number, number]>()
  used.forEach((column, x) => column.forEach((node, y) => place.set(node, [20 + x * 170, 24 + y * 40])))
  const svg = document.createElementNS(SVG, 'svg'), wide = 40 + used.length * 170, high = 40 + 40 * Math.max(1, ...used.map((column) => column.length))
  svg.setAttribute('viewBox', `0 0 ${wide} ${high}`); svg.setAttribute('width', String(wide)); svg.setAttribute('height', String(high))
  const make = (name: string, attributes: Record<string, string | number>) => {
    const node = document.createElementNS(SVG, name)
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value))
    svg.append(node)
    return node
  }
  for (const [from, to, positive] of graph.edges) {
    const [a, b] = [place.get(to)!, place.get(from)!]
    if (from === to) continue
    make('path', { d: `M${a[0] + 140} ${a[1] + 13}C${a[0] + 165} ${a[1] + 13} ${b[0] - 25} ${b[1] + 13} ${b[0]} ${b[1] + 13}`, fill: 'none', stroke: positive ? '#8a9296' : '#b3261e', 'stroke-width': 1.3, 'stroke-dasharray': positive ? '' : '5 4' })
  }
  graph.nodes.forEach((node, number) => {
    const [x, y] = place.get(number)!
    make('rect', { x, y, width: 140, height: 26, rx: 7, fill: node.keyword ? '#dcefed' : node.dynamic ? '#fdf0d9' : '#eef0f2', stroke: node.recursive ? '#7a2e6e' : '#9aa0a3', 'stroke-width': node.recursive ? 2 : 1 })
    const text = make('text', { x: x + 8, y: y + 17, 'font-size': 12, fill: '#23261f', 'font-family': 'monospace' })
    text.textContent = `${node.name.length > 14 ? `${node.name.slice(0, 13)}…` : node.name} ×${node.rules}`
  })
  return svg
}
