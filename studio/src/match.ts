// The match at the table: states, who moves, clicks, and the search's turns. The panes show what is here.
import { Board, facts, type Cell, type LegalMove, type State } from './board'
import { $, announce, h, replace } from './dom'
import { EngineError, type Engine } from './engine'
import { recall, remember } from './store'

export interface Compiled {
  engine: string; why: string; roles: string[]; nature: number | null; hidden: boolean
  fluents: number | null; moves: number | null; rules: number | null; gates: number | null; state: State
}
export interface Thoughts {
  simulations: number; states: number; solverStates: number; rate: number; nodes: number; value: number; proved: [number, number]; known: boolean; plies: number | null
  /** Of a puzzle: the line that was found, and whether none leads to a higher goal. */
  found: { goal: number; moves: number; best: boolean } | null
  moves: { move: string; visits: number; value: number; proved: [number, number] }[]; line: [number, string][]
}
export type Player = 'person' | 'mcts' | 'greedy' | 'random'

const SLICE = 50

export class Match extends EventTarget {
  compiled?: Compiled
  state?: State
  text = ''
  name = ''
  players: Player[] = []
  seconds = recall<number>('seconds') ?? 1
  /** Whether people have no more time for a move than the others. */
  timed = recall<boolean>('timed') ?? false
  /** Seconds that each role has used. */
  clocks: number[] = []
  thoughts?: { role: number; of: Thoughts; move: string }
  analysing = false
  paused = false
  busy = ''
  private board: Board
  private picked: Cell[] = []
  private pending: (string | null)[] = []
  /** Grows whenever what is under way is out of date. */
  private era = 0
  private waitingSince = 0
  private thinkingSince = 0
  /** The role whose engine thinks. */
  private thinking?: number
  /** What is being compiled. */
  private opening = { text: '', name: '' }

  constructor(readonly engine: Engine, private complain: (text: string) => void) {
    super()
    this.board = new Board((cell) => this.click(cell))
    setInterval(() => this.tick(), 100)
  }

  private tell() { this.dispatchEvent(new Event('change')) }

  /** Ends compiling, at any cost. */
  private stop() {
    const { text, name } = this.opening
    this.era++
    this.analysing = false
    this.compiled = undefined; this.state = undefined
    this.engine.stop()
    this.setBusy('')
    this.failedToCompile(new Error('Compiling was stopped.'), h('button', { onclick: () => this.load(text, name) }, 'Compile again'))
    this.tell()
  }

  private busyTimer = 0
  setBusy(what: string) {
    clearTimeout(this.busyTimer)
    this.busy = what
    $('.busy')?.remove()
    if (what) {
      this.busyTimer = window.setTimeout(() => {
        $('#pane-board').append(h('div', { class: 'busy' }, h('div', { class: 'spin' }), h('div', {}, `${what} …`),
          h('button', { onclick: () => this.stop() }, 'Stop')))
      }, 350)
    }
  }

  /** Compiles a description and goes on with a match, if its moves fit. */
  async load(text: string, name: string, moves: string[][] = []) {
    const era = ++this.era
    this.analysing = false
    this.opening = { text, name }
    this.setBusy('Compiling')
    try {
      await this.engine.ask({ do: 'open', text })
      const compiled: Compiled = await this.engine.ask({ do: 'compile' })
      if (era !== this.era) return
      const same = this.compiled?.roles.join() === compiled.roles.join()
      this.compiled = compiled; this.text = text; this.name = name
      if (!same || this.players.length !== compiled.roles.length) {
        this.players = compiled.roles.map((_, role) => compiled.nature === role ? 'random' : role === compiled.roles.findIndex((_, r) => r !== compiled.nature) ? 'person' : 'mcts')
      }
      this.clocks = compiled.roles.map(() => 0)
      let state = compiled.state
      if (moves.length) state = await this.engine.ask({ do: 'replay', moves }).catch(() => this.engine.ask({ do: 'replay', moves: [] }))
      if (era !== this.era) return
      this.setBusy('')
      this.enter(state)
    } catch (error) {
      if (era !== this.era) return
      this.setBusy('')
      this.compiled = undefined; this.state = undefined
      this.failedToCompile(error as Error)
    }
    this.tell()
  }

  private failedToCompile(error: Error, ...more: Node[]) {
    replace($('#board'), h('div', { class: 'empty', role: 'note' }, h('b', {}, 'This description cannot be played yet'), error.message,
      h('p', {}, h('button', { onclick: () => { document.body.dataset.pane = 'editor'; this.dispatchEvent(new Event('pane')) } }, 'Show the problems'), ' ', ...more)))
    $('#pane-board').classList.remove('boardless')
    replace($('#choices')); replace($('#facts')); replace($('#board-top'))
    announce(`It cannot be played: ${error.message}`)
  }

  private enter(state: State) {
    this.state = state
    this.picked = []
    this.pending = []
    this.thoughts = undefined
    this.waitingSince = performance.now()
    this.board.show(state)
    replace($('#facts'), state.terminal ? this.result(state) : null, ...facts(state))
    remember('match', { text: this.text, name: this.name, moves: state.history.slice(0, state.step), players: this.players })
    this.prompt()
    this.tell()
    this.drive()
  }

  private result(state: State) {
    const roles = this.compiled!.roles
    return h('div', { class: 'result', style: 'width:100%' }, h('span', { class: 'chip' }, 'The match is over'), roles.map((role, number) =>
      h('span', { class: `chip ${state.goals[number].includes(100) ? 'good' : ''}` }, `${role}: ${state.goals[number].join(', ') || 'no goal'}`)))
  }

  /** The roles that decide something in this state. */
  deciders(): number[] {
    const { state, compiled } = this
    if (!state || !compiled || state.terminal) return []
    const people = compiled.roles.map((_, role) => role).filter((role) => role !== compiled.nature)
    const free = people.filter((role) => state.legal[role].length > 1)
    if (free.length) return free
    const acts = people.filter((role) => state.legal[role].length === 1 && state.legal[role][0].text.startsWith('('))
    return acts.length ? acts : people.slice(0, 1)
  }

  /** The seconds that a role has left for its move; nothing if it has no limit. */
  left(role: number): number | undefined {
    const { state } = this
    if (!state || state.step < state.steps || this.analysing || !this.deciders().includes(role) || this.pending[role] !== undefined) return undefined
    const person = this.players[role] === 'person'
    if (person ? !this.timed : this.paused || this.players[role] !== 'mcts' || this.thinking !== role) return undefined
    return Math.max(0, this.seconds - (performance.now() - (person ? this.waitingSince : this.thinkingSince)) / 1000)
  }

  /** A person whose time is over makes any legal move, as a host does it. */
  private tick() {
    const role = this.asked()
    if (role === undefined || this.left(role) !== 0) return
    const legal = this.state!.legal[role], text = legal[Math.floor(Math.random() * legal.length)].text
    this.complain(`The time of ${this.compiled!.roles[role]} is over: it makes a random move.`)
    this.choose(role, text)
  }

  /** The role of a person who is to choose. */
  asked(): number | undefined {
    return this.deciders().find((role) => this.players[role] === 'person' && this.pending[role] === undefined)
  }

  /** Shows what the person who is asked can do. */
  prompt(choose?: string[]) {
    const { state, compiled } = this
    const role = this.asked()
    const choices = $('#choices')
    if (!state || !compiled) return
    this.top()
    if (role === undefined) { replace(choices); this.board.mark([], [], []); return }
    const legal = state.legal[role]
    if (choose) {
      replace(choices, h('div', { class: 'of' }, 'Which move?'), choose.map((text) => this.button(role, text)), h('button', { onclick: () => { this.picked = []; this.prompt() } }, 'Cancel'))
      choices.querySelector('button')?.focus()
      return
    }
    if (!this.picked.length) {
      this.board.mark(this.starts(legal), [], [], this.shown(legal))
    }
    const listed = legal.filter((made) => !made.clicks.length || !state.svg)
    const all = listed.length ? listed : []
    replace(choices, all.slice(0, 200).map((made) => this.button(role, made.text)),
      legal.length > all.length && legal.length > 0 && h('details', { style: 'width:100%; text-align:center' }, h('summary', { class: 'soft' }, `${legal.length} ${legal.length === 1 ? 'move' : 'moves'} as a list`),
        h('div', { class: 'row', style: 'justify-content:center; padding-top:6px' }, legal.slice(0, 300).map((made) => this.button(role, made.text)))))
  }

  /** The board is visible again: what lies over it is drawn, because nothing has a place while it is hidden. */
  redraw() {
    if (!this.state) return
    this.picked = []
    this.prompt()
    this.showThoughts()
  }

  /** The cells that a click may begin at, and of those that mean the same the one that is marked. */
  private starts(legal: LegalMove[]): Cell[] { return unique(legal.flatMap((made) => made.clicks[0] ?? [])) }
  private shown(legal: LegalMove[]): Cell[] {
    return unique(legal.flatMap((made) => { const cells = made.clicks[0] ?? []; return cells.length > 1 ? [this.landing(cells)] : cells }))
  }

  private button(role: number, text: string) { return h('button', { onclick: () => this.choose(role, text) }, text) }

  private top() {
    const { state, compiled } = this
    if (!state || !compiled) return
    const asked = this.asked(), thinking = this.deciders().filter((role) => this.players[role] !== 'person')
    const who = state.terminal ? 'The match is over' : asked !== undefined ? `${compiled.roles[asked]} to move`
      : thinking.length ? `${compiled.roles[thinking[0]]} ${this.paused ? 'to move' : 'thinks'}` : ''
    const go = (step: number, label: string, text: string, off: boolean) => h('button', { class: 'icon', 'aria-label': label, title: label, disabled: off, onclick: () => this.go(step) }, text)
    replace($('#board-top'), h('span', { class: 'who' }, who), h('span', { class: 'match' },
      go(0, 'To the beginning (Home)', '|◀', state.step === 0), go(state.step - 1, 'One move back (←)', '◀', state.step === 0),
      h('span', { class: 'soft' }, `${state.step} / ${state.steps}`),
      go(state.step + 1, 'One move on (→)', '▶', state.step >= state.steps), go(state.steps, 'To the end (End)', '▶|', state.step >= state.steps)))
  }

  private async click(cell: Cell) {
    const role = this.asked()
    if (role === undefined || !this.state) return
    const cells = [...this.picked, cell]
    const found = await this.engine.ask({ do: 'click', role, cells })
    if (found.outcome === 'move') this.choose(role, found.move)
    else if (found.outcome === 'choose') { this.picked = cells; this.prompt(found.moves) }
    else if (found.outcome === 'more') {
      // A piece that is clicked again is put down.
      const again = this.picked.length === 1 && found.clicked.length === 1 && String(found.clicked[0]) === String(this.picked[0])
      this.picked = again ? [] : found.clicked
      if (found.complete.length && !again) this.prompt(found.complete)
      else this.prompt()
      if (!again) this.board.mark(this.starts(this.state.legal[role]), this.picked, found.next)
    } else { this.picked = []; this.prompt() }
  }

  private choose(role: number, text: string) {
    this.clocks[role] += (performance.now() - this.waitingSince) / 1000
    this.pending[role] = text
    this.paused = false
    this.picked = []
    if (this.asked() !== undefined) { this.waitingSince = performance.now(); this.prompt(); this.tell() } else this.drive()
  }

  /** Lets engines move until a person is asked. */
  private async drive() {
    const era = ++this.era
    const { state, compiled } = this
    if (!state || !compiled || state.terminal) return
    if (this.asked() !== undefined) { if (this.analysing) this.analyse(); return }
    const behind = state.step < state.steps
    const deciders = this.deciders(), nobody = deciders.every((role) => this.players[role] !== 'person')
    if (nobody && (this.paused || behind)) { this.top(); return }
    try {
      for (const role of deciders) {
        if (this.players[role] === 'person' || this.pending[role] !== undefined) continue
        const began = performance.now()
        const made = await this.think(role, this.players[role], this.seconds, era)
        if (era !== this.era || made === undefined) return
        this.clocks[role] += (performance.now() - began) / 1000
        this.pending[role] = made
      }
      const moves = compiled.roles.map((_, role) => this.pending[role] ?? null)
      const next = await this.engine.ask({ do: 'advance', moves, seed: Math.floor(Math.random() * 2 ** 40) })
      if (era !== this.era) return
      announce(`${compiled.roles.map((role, number) => `${role} ${next.history[next.step - 1][number]}`).join(', ')}`)
      this.enter(next)
    } catch (error) {
      if (era !== this.era) return
      this.pending = []
      this.fail(error as Error)
    }
  }

  /** A player thinks; the thoughts are shown meanwhile. Nothing if it is out of date. */
  private async think(role: number, player: string, seconds: number, era: number): Promise<string | undefined> {
    await this.engine.ask({ do: 'think', role, player, seed: Math.floor(Math.random() * 2 ** 30) })
    let made: string | undefined
    const began = performance.now()
    this.thinking = role; this.thinkingSince = began
    do {
      if (era !== this.era) return undefined
      const answer = await this.engine.ask({ do: 'think-slice', millis: SLICE })
      if (era !== this.era) return undefined
      made = answer.move
      if (answer.thoughts) this.thoughts = { role, of: answer.thoughts, move: answer.move }
      this.showThoughts()
      if (player !== 'mcts' || answer.thoughts?.known || this.state!.legal[role].length === 1) break
    } while ((performance.now() - began) / 1000 < seconds)
    return made
  }

  /** Thinks about the current state until it is stopped. */
  async analyse(on = this.analysing) {
    this.analysing = on
    this.tell()
    if (!on) { this.era++; this.thoughts = undefined; this.board.think([]); this.drive(); return }
    const role = this.asked() ?? this.deciders()[0]
    if (role === undefined) return
    const era = ++this.era
    try { await this.think(role, 'mcts', 1e9, era) } catch (error) { if (era === this.era) this.fail(error as Error) }
  }

  private showThoughts() {
    const { thoughts, state } = this
    if (!thoughts || !state) return
    const legal = new Map<string, LegalMove>(state.legal[thoughts.role].map((made) => [made.text, made]))
    const total = Math.max(1, ...thoughts.of.moves.map((move) => move.visits))
    const sum = Math.max(1, thoughts.of.moves.reduce((all, move) => all + move.visits, 0))
    const best = new Map<string, { cell: Cell; share: number; value: number; best: boolean }>()
    for (const move of thoughts.of.moves) {
      const clicks = legal.get(move.move)?.clicks ?? []
      const cells = clicks[clicks.length - 1]
      const chosen = move.move === thoughts.move
      if (!cells?.length || move.visits < total * .002 && !chosen) continue
      // A move anywhere in a column is shown where it is played: at the last empty cell that the picture has, or the first.
      const cell = cells.length > 1 ? this.landing(cells) : cells[0]
      // A move that was proved without a visit is all that counts.
      const known = best.get(String(cell)), share = chosen && !move.visits ? 1 : move.visits / sum
      if (!known || known.share < share || chosen) best.set(String(cell), { cell, share, value: move.value, best: chosen || (known?.best ?? false) })
    }
    this.board.think([...best.values()].sort((a, b) => b.share - a.share).slice(0, 40))
    this.tell()
  }

  /** The cell of a column to show a move at: the lowest empty one. */
  private landing(cells: Cell[]): Cell {
    const empty = cells.filter((cell) => !$(`#board [data-cell="${cell[0]}.${cell[1]}"] title`))
    return empty[empty.length - 1] ?? cells[0]
  }

  async go(step: number) {
    if (!this.state || step < 0 || step > this.state.steps || step === this.state.step) return
    this.era++
    this.paused = true
    try { this.enter(await this.engine.ask({ do: 'go', step })) } catch (error) { this.fail(error as Error) }
  }

  /** Takes moves back until a person is asked again. */
  async undo() {
    if (!this.state?.step) return
    let step = this.state.step - 1
    await this.go(step)
    while (step > 0 && this.asked() === undefined && this.players.includes('person')) await this.go(--step)
  }

  async restart() {
    this.era++
    this.paused = false
    this.clocks = this.clocks.map(() => 0)
    try { this.enter(await this.engine.ask({ do: 'replay', moves: [] })) } catch (error) { this.fail(error as Error) }
  }

  async replay(moves: string[][], step = 0) {
    this.era++
    this.paused = true
    await this.engine.ask({ do: 'replay', moves })
    this.enter(await this.engine.ask({ do: 'go', step }))
  }

  setTimed(timed: boolean) {
    this.timed = timed
    this.waitingSince = performance.now()
    remember('timed', timed)
    this.tell()
  }

  resume() { this.paused = false; this.drive(); this.tell() }
  pause() { this.paused = true; this.era++; this.top(); this.tell() }

  setPlayer(role: number, player: Player) {
    this.players[role] = player
    this.pending = []
    remember('match', { text: this.text, name: this.name, moves: this.state?.history.slice(0, this.state.step) ?? [], players: this.players })
    this.prompt(); this.tell(); this.drive()
  }

  private fail(error: Error) {
    if (error instanceof EngineError && error.message === 'it was stopped') return
    this.complain(error.message)
  }
}

function unique(cells: Cell[]): Cell[] { return [...new Map(cells.map((cell) => [String(cell), cell])).values()] }
