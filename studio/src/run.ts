// The pane Run: random playouts, counted while they run.
import { $, figure, h, replace } from './dom'
import type { Match } from './match'

export class RunPane {
  private figures = h('div', { class: 'figures' })
  private charts = h('div', { class: 'charts' })
  private button = h('button', { class: 'main', onclick: () => this.toggle() }, 'Run')
  private running = false
  /** For tests and tables: the last report. */
  last: any

  constructor(private match: Match, private complain: (text: string) => void) {
    $('#pane-run').append(h('div', { class: 'row' }, this.button, h('span', { class: 'soft' }, 'Random playouts from the initial state')), this.figures, this.charts)
    match.addEventListener('change', () => { this.button.disabled = !match.compiled })
    replace(this.charts, h('p', { class: 'empty' }, h('b', {}, 'Nothing has run yet'), 'Run plays random matches until you stop it, and counts goals and lengths.'))
  }

  async toggle() {
    if (this.running) { this.running = false; return }
    this.running = true
    this.button.textContent = 'Stop'
    try {
      await this.match.engine.ask({ do: 'run', seed: 1 + Math.floor(Math.random() * 2 ** 30), maxSteps: 10000 })
      while (this.running) {
        this.last = await this.match.engine.ask({ do: 'run-slice', millis: 200 })
        this.show(this.last)
      }
    } catch (error) { if ((error as Error).message !== 'it was stopped') this.complain((error as Error).message) }
    this.running = false
    this.button.textContent = 'Run'
  }

  private show(run: any) {
    const item = (value: string, name: string) => h('div', {}, h('b', {}, value), h('span', {}, name))
    replace(this.figures, item(figure(run.rate), 'states per second'), item(figure(run.playouts), 'playouts'), item(figure(run.states), 'states'),
      item(run.length === null ? '–' : run.length.toFixed(1), 'moves per playout'), item(run.branching === null ? '–' : run.branching.toFixed(1), 'joint moves per state'),
      item(`${run.seconds.toFixed(1)} s`, this.match.engine.kind === 'native' ? 'native engine' : 'in this browser'))
    const roles = this.match.compiled?.roles ?? []
    replace(this.charts, run.goals.map((goal: any, role: number) => role === this.match.compiled?.nature ? null : h('div', { class: 'card' },
      h('h2', {}, `Goals of ${roles[role]}`, goal.mean !== null ? `: ${goal.mean.toFixed(2)} ± ${(goal.error ?? 0).toFixed(2)}` : ''),
      histogram(goal.histogram, `goals of ${roles[role]}`))),
      run.lengths.length > 1 && h('div', { class: 'card' }, h('h2', {}, `Lengths, of ${figure(run.sampled)} sampled playouts`), histogram(binned(run.lengths), 'lengths')),
      run.unfinished > 0 && h('p', { class: 'soft' }, `${figure(run.unfinished)} playouts stopped at 10,000 moves.`),
      run.unplayable > 0 && h('p', { class: 'soft' }, `In ${figure(run.unplayable)} playouts a role had no legal move.`))
  }
}

/** Few enough bars to tell apart. */
function binned(pairs: [number, number][]): [number, number][] {
  const [first, last] = [pairs[0][0], pairs[pairs.length - 1][0]], size = Math.max(1, Math.ceil((last - first + 1) / 40))
  if (size === 1) return pairs
  const bins = new Map<number, number>()
  for (const [value, times] of pairs) {
    const bin = first + Math.floor((value - first) / size) * size
    bins.set(bin, (bins.get(bin) ?? 0) + times)
  }
  return [...bins]
}

export function histogram(pairs: [number, number][], label: string): SVGSVGElement {
  const SVG = 'http://www.w3.org/2000/svg', svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('class', 'histogram'); svg.setAttribute('viewBox', '0 0 320 120'); svg.setAttribute('role', 'img')
  const total = pairs.reduce((all, [, times]) => all + times, 0), most = Math.max(1, ...pairs.map(([, times]) => times))
  svg.setAttribute('aria-label', `${label}: ${pairs.slice(0, 12).map(([value, times]) => `${value}: ${(100 * times / Math.max(1, total)).toFixed(1)} %`).join(', ')}`)
  const wide = 320 / Math.max(1, pairs.length)
  pairs.forEach(([value, times], number) => {
    const high = 88 * times / most, x = number * wide
    const bar = document.createElementNS(SVG, 'rect')
    for (const [name, size] of Object.entries({ x: x + Math.min(3, wide * .1), y: 100 - high, width: Math.max(1, Math.min(64, wide - Math.min(6, wide * .2))), height: high, rx: 2 })) bar.setAttribute(name, String(size))
    svg.append(bar)
    if (pairs.length <= 12 || number % Math.ceil(pairs.length / 10) === 0) {
      const text = (content: string, y: number) => {
        const node = document.createElementNS(SVG, 'text')
        node.setAttribute('x', String(x + Math.min(3, wide * .1))); node.setAttribute('y', String(y)); node.textContent = content
        svg.append(node)
      }
      text(String(value), 114)
      if (pairs.length <= 8) text(`${(100 * times / Math.max(1, total)).toFixed(1)} %`, Math.max(9, 96 - high))
    }
  })
  return svg
}
