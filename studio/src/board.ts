// The board: the engine draws it as SVG; here cells become clickable, changes move, and the search's thoughts lie over it.
import { $, h, replace } from './dom'

export interface LegalMove { text: string; clicks: [number, number][][] }
export interface Group { name: string; entries: [string, string[]][] }
export interface State {
  step: number; steps: number; history: string[][]; terminal: boolean; goals: number[][]; legal: LegalMove[][]; svg: string
  turns: { name: string; words: string[] }[]; counters: Group[]; hands: Group[]; piles: string[][]; rest: Group[]; fluents: string[]
}
export type Cell = [number, number]

const SVG = 'http://www.w3.org/2000/svg'
const cellKey = (cell: Cell) => `${cell[0]}.${cell[1]}`

export class Board {
  private holder = $('#board')
  private marks?: SVGGElement
  private heat?: SVGGElement
  private order: SVGGElement[] = []

  constructor(private clicked: (cell: Cell) => void) {
    this.holder.addEventListener('click', (event) => this.click(event.target as Element))
    this.holder.addEventListener('keydown', (event) => this.key(event))
  }

  /** Shows a state. */
  show(state: State) {
    const before = this.pieces()
    // Without a board, what the state says comes first.
    this.holder.parentElement!.classList.toggle('boardless', !state.svg)
    if (!state.svg) {
      replace(this.holder, h('p', { class: 'empty' }, 'No board was found in these rules. A comment such as ',
        h('code', {}, ';; groundrules: board cell x y content'), ' says which fluents are a board.'))
      this.order = []
      return
    }
    const parsed = new DOMParser().parseFromString(state.svg, 'image/svg+xml').documentElement as unknown as SVGSVGElement
    parsed.removeAttribute('width'); parsed.removeAttribute('height')
    parsed.setAttribute('role', 'group'); parsed.setAttribute('aria-label', 'Board')
    // Small boards are not blown up beyond what looks well.
    const wide = Number(parsed.getAttribute('viewBox')?.split(' ')[2] ?? 0)
    this.holder.style.setProperty('--widest', `${Math.round(Math.min(860, wide * 2.1))}px`)
    this.holder.replaceChildren(document.importNode(parsed, true))
    this.order = [...this.holder.querySelectorAll<SVGGElement>('[data-cell]')]
    for (const cell of this.order) {
      const pieces = [...cell.querySelectorAll('title')].map((title) => title.textContent).join(', ')
      cell.setAttribute('aria-label', `${cell.dataset.name}: ${pieces || 'empty'}`)
    }
    this.animate(before)
  }

  /** The pieces by cell: what each is called, and where. */
  private pieces(): Map<string, { name: string; box: DOMRect }[]> {
    const all = new Map<string, { name: string; box: DOMRect }[]>()
    for (const title of this.holder.querySelectorAll('[data-cell] title')) {
      const piece = title.parentElement!, cell = piece.closest<SVGGElement>('[data-cell]')!.dataset.cell!
      const list = all.get(cell) ?? []
      list.push({ name: title.textContent ?? '', box: piece.getBoundingClientRect() })
      all.set(cell, list)
    }
    return all
  }

  /** Moves pieces from where they were; what is new appears. */
  private animate(before: Map<string, { name: string; box: DOMRect }[]>) {
    if (!before.size || !this.holder.offsetParent || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const gone: { name: string; box: DOMRect; used?: boolean }[] = []
    const now = this.pieces()
    for (const [cell, pieces] of before) {
      const left = (now.get(cell) ?? []).map((piece) => piece.name)
      for (const piece of pieces) {
        const at = left.indexOf(piece.name)
        if (at < 0) gone.push(piece); else left.splice(at, 1)
      }
    }
    for (const cell of this.order) {
      const old = (before.get(cell.dataset.cell!) ?? []).map((piece) => piece.name)
      for (const title of cell.querySelectorAll('title')) {
        const piece = title.parentElement as unknown as SVGGElement, name = title.textContent ?? ''
        const at = old.indexOf(name)
        if (at >= 0) { old.splice(at, 1); continue }
        const from = gone.find((candidate) => candidate.name === name && !candidate.used)
        const box = piece.getBoundingClientRect(), matrix = piece.getScreenCTM()
        if (from && matrix) {
          from.used = true
          const dx = (from.box.x - box.x) / matrix.a, dy = (from.box.y - box.y) / matrix.d
          piece.animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: 'none' }], { duration: 220, easing: 'ease-out' })
          cell.parentElement!.append(cell)
        } else {
          piece.style.transformBox = 'fill-box'; piece.style.transformOrigin = 'center'
          piece.animate([{ transform: 'scale(.4)', opacity: 0 }, { transform: 'none', opacity: 1 }], { duration: 160, easing: 'ease-out' })
        }
      }
    }
  }

  private cell(cell: Cell): SVGGElement | null { return this.holder.querySelector(`[data-cell="${cellKey(cell)}"]`) }

  private layer(name: string): SVGGElement {
    const layer = document.createElementNS(SVG, 'g')
    layer.setAttribute('class', name)
    layer.setAttribute('aria-hidden', 'true')
    this.holder.querySelector('svg')?.append(layer)
    return layer
  }

  /** The middle and the size of a cell, in the picture's units. */
  private place(cell: Cell): { x: number; y: number; size: number } | undefined {
    const group = this.cell(cell)
    const shape = group?.firstElementChild as SVGGraphicsElement | null
    if (!group || !shape) return undefined
    const box = shape.getBBox()
    // While the board is hidden, nothing of it has a place.
    if (!box.width) return undefined
    const offset = (group.parentElement as unknown as SVGGElement).transform.baseVal.consolidate()?.matrix
    return { x: box.x + box.width / 2 + (offset?.e ?? 0), y: box.y + box.height / 2 + (offset?.f ?? 0), size: Math.min(box.width, box.height) }
  }

  /** Marks the cells that can be clicked, those clicked, and those that go on. */
  mark(can: Cell[], picked: Cell[], next: Cell[], shown = can) {
    this.marks?.remove()
    for (const cell of this.order) { cell.classList.remove('can'); cell.removeAttribute('tabindex'); cell.removeAttribute('role') }
    if (!this.order.length) return
    this.marks = this.layer('marks')
    for (const cell of [...can, ...next, ...picked]) {
      const group = this.cell(cell)
      group?.classList.add('can'); group?.setAttribute('tabindex', '0'); group?.setAttribute('role', 'button')
    }
    const spots = picked.length ? next : shown
    if (spots.length <= 80) for (const cell of spots) this.spot(cell, picked.length ? 'next' : 'can', picked.length ? .17 : .11)
    for (const cell of picked) this.spot(cell, 'picked', .44)
  }

  private spot(cell: Cell, kind: string, radius: number) {
    const at = this.place(cell)
    if (!at) return
    const spot = document.createElementNS(SVG, 'circle')
    spot.setAttribute('class', `spot ${kind}`)
    for (const [name, value] of Object.entries({ cx: at.x, cy: at.y, r: at.size * radius })) spot.setAttribute(name, String(value))
    this.marks!.append(spot)
  }

  /** Shows shares of visits as bars on cells. */
  think(shares: { cell: Cell; share: number; value: number; best: boolean }[]) {
    this.heat?.remove()
    if (!this.order.length || !shares.length) return
    this.heat = this.layer('heat')
    for (const { cell, share, value, best } of shares) {
      const at = this.place(cell)
      if (!at) continue
      const wide = at.size * .78, high = at.size * .13, left = at.x - wide / 2, top = at.y + at.size * .3
      const group = document.createElementNS(SVG, 'g')
      group.setAttribute('class', `heat${best ? ' best' : ''}`)
      const bar = (kind: string, width: number) => {
        const rect = document.createElementNS(SVG, 'rect')
        rect.setAttribute('class', kind)
        for (const [name, value] of Object.entries({ x: left, y: top, width, height: high, rx: high / 2 })) rect.setAttribute(name, String(value))
        group.append(rect)
      }
      bar('frame', wide); bar('fill', Math.max(high, wide * share))
      const text = document.createElementNS(SVG, 'text')
      text.setAttribute('x', String(at.x)); text.setAttribute('y', String(top - 2)); text.setAttribute('text-anchor', 'middle')
      text.textContent = String(Math.round(value))
      group.append(text)
      this.heat.append(group)
    }
  }

  private click(target: Element) {
    const cell = target.closest<SVGGElement>('[data-cell]')
    if (cell) this.clicked(cell.dataset.cell!.split('.').map(Number) as Cell)
  }

  private key(event: KeyboardEvent) {
    const cell = (event.target as Element).closest<SVGGElement>('[data-cell]')
    if (!cell) return
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault(); event.stopPropagation()
      this.clicked(cell.dataset.cell!.split('.').map(Number) as Cell)
    }
  }
}

/** The largest number that is shown as counters beside its figure. */
const MOST_COUNTERS = 24

/** A small number as that many counters. */
function counters(value: string | undefined): HTMLElement | null {
  const count = /^\d+$/.test(value ?? '') ? Number(value) : NaN
  return count <= MOST_COUNTERS ? h('span', { class: 'counters', 'aria-hidden': 'true' }, Array.from({ length: count }, () => h('i', {}))) : null
}

/** Piles as they stand, the first thing of each at the bottom. Things that are numbers are as wide as they are large. */
function stacks(piles: string[][]): HTMLElement {
  const numbers = piles.flatMap((pile) => pile.slice(1)).map(Number), most = Math.max(...numbers)
  const isSized = numbers.length > 0 && numbers.every((number) => Number.isFinite(number) && number >= 0) && most > 0
  return h('div', { class: 'stacks' }, piles.map(([bottom, ...things]) => h('div', { class: 'stack' },
    ...[...things].reverse().map((thing) => h('span', { style: isSized ? `width:${(34 + 66 * Number(thing) / most).toFixed(0)}%` : '' }, thing)), h('b', {}, bottom))))
}

/** What is not on the board: turns, counters, hands, piles, and the rest as tables. */
export function facts(state: State): HTMLElement[] {
  const words = (values: string[]) => h('span', { class: 'things' }, values.map((value) => h('span', {}, value)))
  const group = ({ name, entries }: Group, isCounter = false) => {
    const plain = entries.every(([key]) => !key)
    const shown = entries.slice(0, 60)
    return h('div', { class: 'fact' }, h('h3', {}, name), plain
      ? words(shown.flatMap(([, values]) => values.filter(Boolean)).slice(0, 60))
      : h('table', {}, h('tbody', {}, shown.map(([key, values]) => h('tr', {}, h('th', { scope: 'row' }, key), h('td', {}, values.length > 1 ? words(values) : [values[0] ?? '', isCounter ? counters(values[0]) : null]))))))
  }
  const out: HTMLElement[] = []
  for (const turn of state.turns) out.push(h('div', { class: 'fact' }, h('h3', {}, turn.name), turn.words.join(' ')))
  out.push(...state.counters.map((counter) => group(counter, true)), ...state.hands.map((hand) => group(hand)))
  if (state.piles.length) out.push(h('div', { class: 'fact' }, h('h3', {}, 'piles'), stacks(state.piles)))
  out.push(...state.rest.slice(0, 24).map((rest) => group(rest)))
  return out
}
