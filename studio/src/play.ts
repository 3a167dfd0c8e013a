// The pane Play: who plays, clocks, undo, the moves, and the search's thoughts.
import { $, figure, h, replace } from './dom'
import type { Match, Player } from './match'
import { remember } from './store'

const PLAYERS: [Player, string][] = [['person', 'person'], ['mcts', 'mcts (search)'], ['greedy', 'greedy'], ['random', 'random']]

export class PlayPane {
  private pane = $('#pane-play')
  private thoughts = h('div', { class: 'card' })
  private table = h('div')
  private moves = h('div', { class: 'moves', 'aria-label': 'Moves of the match', tabindex: '0', role: 'group' })
  private buttons = h('div', { class: 'row' })
  private shape = ''

  constructor(private match: Match) {
    const seconds = h('input', { type: 'number', min: '0.1', max: '600', step: '0.1', value: match.seconds, style: 'width:84px', onchange: (event: Event) => {
      match.seconds = Math.max(.1, Math.min(600, Number((event.target as HTMLInputElement).value) || 1))
      remember('seconds', match.seconds)
    } })
    const timed = h('input', { type: 'checkbox', checked: match.timed, onchange: (event: Event) => match.setTimed((event.target as HTMLInputElement).checked) })
    this.pane.append(h('div', { class: 'card' }, h('h2', {}, 'Players'), this.table,
      h('div', { class: 'row', style: 'margin-top:6px' }, h('label', { class: 'row' }, 'Seconds per move', seconds), h('label', { class: 'row' }, timed, 'for people too'))), this.buttons, this.thoughts,
      h('div', { class: 'card' }, h('h2', {}, 'Match'), this.moves))
    match.addEventListener('change', () => this.show())
    setInterval(() => this.clocks(), 100)
    this.show()
  }

  private show() {
    const { match } = this, { compiled, state } = match
    if (!compiled || !state) {
      replace(this.table, h('p', { class: 'soft' }, 'Choose a game, or write a description without errors.'))
      replace(this.buttons); replace(this.moves); this.thoughts.hidden = true
      this.shape = ''
      return
    }
    this.players()
    const asked = match.asked() !== undefined, waits = !asked && !state.terminal && (match.paused || state.step < state.steps)
    replace(this.buttons,
      waits && h('button', { class: 'main', onclick: () => match.resume() }, 'Go on'),
      !asked && !waits && !state.terminal && h('button', { onclick: () => match.pause() }, 'Pause'),
      h('button', { onclick: () => match.undo(), disabled: state.step === 0, title: 'Ctrl+Z outside the editor' }, 'Undo'),
      h('button', { onclick: () => match.restart() }, 'New match'),
      h('button', { 'aria-pressed': String(match.analysing), disabled: state.terminal, onclick: () => match.analyse(!match.analysing) }, 'Analyse'))
    this.think()
    this.history()
  }

  private players() {
    const { match } = this, { compiled } = match
    const shape = JSON.stringify([compiled!.roles, match.players, match.deciders()])
    if (shape === this.shape) { this.clocks(); return }
    this.shape = shape
    const deciders = match.deciders()
    replace(this.table, compiled!.roles.map((role, number) => h('div', { class: 'player' },
      h('span', { class: `name ${deciders.includes(number) ? 'turn' : ''}`, title: role }, role),
      number === compiled!.nature ? h('span', { class: 'soft' }, 'chance') : h('select', { 'aria-label': `Who plays ${role}`, onchange: (event: Event) => match.setPlayer(number, (event.target as HTMLSelectElement).value as Player) },
        PLAYERS.map(([id, name]) => h('option', { value: id, selected: match.players[number] === id }, name))),
      h('span', { class: 'clock', 'data-clock': number, title: 'Time used' }))))
    this.clocks()
  }

  private clocks() {
    for (const clock of this.table.querySelectorAll<HTMLElement>('[data-clock]')) {
      const role = Number(clock.dataset.clock), used = this.match.clocks[role] ?? 0, left = this.match.left(role)
      const text = left === undefined ? `${Math.floor(used / 60)}:${String(Math.floor(used % 60)).padStart(2, '0')}` : `${left.toFixed(1)} s left`
      if (clock.textContent === text) continue
      clock.textContent = text
      clock.title = left === undefined ? 'Time used' : 'Time left for this move'
      clock.classList.toggle('left', left !== undefined)
    }
  }

  private think() {
    const { thoughts, compiled } = this.match
    this.thoughts.hidden = !thoughts
    if (!thoughts) return
    const { of, role } = thoughts, total = Math.max(1, of.moves.reduce((all, move) => all + move.visits, 0))
    const [least, most] = of.proved
    // The move that would be made comes first.
    const moves = [...of.moves].sort((a, b) => Number(b.move === thoughts.move) - Number(a.move === thoughts.move))
    const { found } = of
    const proved = found
      ? `${found.best ? 'best line' : 'line found'}: goal ${found.goal} in ${found.moves} ${found.moves === 1 ? 'move' : 'moves'}`
      : of.known
      ? least === 100 ? `proved win${of.plies ? ` in ${of.plies}` : ''}` : most === 0 ? 'proved loss' : `proved ${least}`
      : least > 0 || most < 100 ? `proved between ${least} and ${most}` : ''
    const tree = `${figure(of.simulations)} simulations, ${figure(of.rate)} per second, ${figure(of.nodes)} states in the tree`
    const solver = `${figure(of.solverStates)} states visited by the solvers`
    const effort = [of.simulations > 0 && tree, of.solverStates > 0 && solver].filter(Boolean).join(', ') || tree
    replace(this.thoughts, h('h2', {}, `${compiled!.roles[role]} expects ${of.value.toFixed(1)}`, ' ', proved && h('span', { class: `chip ${least === 100 ? 'good' : most === 0 ? 'bad' : 'warm'}` }, proved)),
      h('div', { class: 'value', role: 'img', 'aria-label': `expected goal ${of.value.toFixed(0)}` }, h('i', { style: `width:${of.value}%` })),
      h('p', { class: 'soft', id: 'effort' }, effort),
      h('div', { class: 'bars' }, moves.slice(0, 8).flatMap((move) => [
        h('span', { class: `kif ${move.move === thoughts.move ? 'chosen' : ''}`, style: `--share:${100 * move.visits / total}%`, title: move.move }, move.move),
        h('span', {}, figure(move.visits)), h('span', {}, move.proved[0] === move.proved[1] ? `=${move.proved[0]}` : move.value.toFixed(1))])),
      of.line.length > 1 && h('p', { class: 'soft kif', style: 'overflow-wrap:anywhere' }, 'expects: ', of.line.slice(0, 10).map(([, move]) => move).join(' · ')))
  }

  private history() {
    const state = this.match.state!
    const label = (joint: string[]) => {
      const said = joint.filter((move) => !/^(noop|wait|pass|none)$/i.test(move))
      return (said.length ? said : joint).join('  ')
    }
    replace(this.moves, h('button', { 'aria-current': state.step === 0 ? 'step' : undefined, onclick: () => this.match.go(0) }, 'beginning'),
      state.history.map((joint, number) => h('button', { 'aria-current': state.step === number + 1 ? 'step' : undefined, onclick: () => this.match.go(number + 1) }, `${number + 1}. ${label(joint)}`)))
    const current = this.moves.querySelector<HTMLElement>('[aria-current]')
    if (current) this.moves.scrollTop = current.offsetTop - this.moves.offsetTop - 90
  }
}
