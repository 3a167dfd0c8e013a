// The pane Watch: match files and traces that are dropped or opened, and, beside the program `groundrules studio`, the matches and
// tournaments in its folder as they go on.
import { $, h, replace } from './dom'
import type { Match } from './match'

export interface Recorded { name: string; game: string; roles: string[]; players: string[]; moves: string[][]; completed: boolean; goals: number[] | null; rules: string | null; errors?: string[][] }
interface Listed { file: string; kind: 'match' | 'tournament'; modified: number; bytes: number }

export class WatchPane {
  private list = h('div', { class: 'list' })
  private info = h('div')
  private live?: { file: string; seen: number; follow: boolean }
  private token = new URLSearchParams(location.search).get('token')

  constructor(private match: Match, private show: (text: string, name: string, moves: string[][], step: number) => Promise<void>, private open: () => void, private complain: (text: string) => void) {
    $('#pane-watch').append(h('div', { class: 'card' }, h('h2', {}, 'Matches'),
      h('p', { class: 'soft' }, 'Open or drop a match file of a host, or a trace, and replay it with the arrow keys.'),
      h('button', { onclick: () => this.open() }, 'Open a match file'), this.list), this.info)
    if (match.engine.kind === 'native') { this.poll(); setInterval(() => this.poll(), 1000) }
    else this.list.append(h('p', { class: 'soft' }, 'To watch matches while they are played, start ', h('code', {}, 'groundrules studio --matches FOLDER'), ' in the folder that a host or a tournament writes to.'))
  }

  /** Reads a file; says whether it is one of these. */
  async read(text: string): Promise<boolean> {
    const { matches } = await this.match.engine.ask({ do: 'recorded', text })
    this.live = undefined
    const shown = (matches as Recorded[]).slice(0, 100)
    replace(this.info, h('div', { class: 'card' }, h('h2', {}, shown.length === 1 ? 'Match' : `${matches.length} matches`),
      h('div', { class: 'list' }, shown.map((found, number) => h('button', { class: 'atom', onclick: () => this.enter(found) },
        `${found.name || `match ${number + 1}`}: ${found.moves.length} moves${found.goals ? `, ${found.goals.join(' to ')}` : ''}`)))))
    await this.enter(shown[0])
    return true
  }

  private async enter(found: Recorded, step?: number) {
    const rules = found.rules ?? this.match.text
    if (!rules) { this.complain('This match has no rules with it: open the description first.'); return }
    try { await this.show(rules, found.game || found.name || 'match', found.moves, step ?? 0) }
    catch (error) { this.complain(found.rules ? (error as Error).message : `The match does not fit the description that is open: ${(error as Error).message}`) }
  }

  private async fetch(path: string): Promise<Response> {
    const response = await fetch(`./${path}`, { headers: { 'x-studio-token': this.token ?? '' } })
    if (!response.ok) throw new Error(`the program answers ${response.status}`)
    return response
  }

  private shape = ''
  private async poll() {
    if ($('#pane-watch').hidden && !this.live) return
    try {
      const files: Listed[] = await (await this.fetch('matches')).json()
      const shape = JSON.stringify(files)
      if (shape !== this.shape) {
        this.shape = shape
        replace(this.list, files.length ? files.map((file) => h('button', { class: 'atom', 'aria-pressed': String(this.live?.file === file.file), onclick: () => file.kind === 'match' ? this.follow(file.file) : this.tournament(file.file) },
          h('span', {}, file.kind === 'match' ? '♟' : '🏆'), h('span', {}, file.file), h('span', { class: 'soft' }, new Date(file.modified).toLocaleTimeString())))
          : h('p', { class: 'soft' }, 'No match files are in the folder yet.'))
        if (this.live) await this.update()
      }
    } catch { /* The program was ended; the engine tells. */ }
  }

  private async follow(file: string) {
    this.live = { file, seen: -1, follow: true }
    try { await this.update() } catch (error) { this.complain((error as Error).message) }
  }

  /** Shows what was added to the match that is watched. */
  private async update() {
    const live = this.live
    if (!live) return
    const text = await (await this.fetch(`matches/${encodeURIComponent(live.file)}`)).text()
    const { matches } = await this.match.engine.ask({ do: 'recorded', text })
    const found: Recorded = matches[0]
    if (live !== this.live || found.moves.length === live.seen) return
    const first = live.seen < 0
    const atEnd = first || this.match.state?.step === this.match.state?.steps
    live.seen = found.moves.length
    replace(this.info, h('div', { class: 'card' }, h('h2', {}, `${found.name}`), h('p', {}, found.players?.map((player, role) => `${found.roles[role]}: ${player}`).join(', ')),
      h('p', { class: 'soft', id: 'live' }, found.completed ? `over${found.goals ? `: ${found.goals.join(' to ')}` : ''}` : `live, ${found.moves.length} moves`)))
    if (first) await this.enter(found, found.moves.length)
    else await this.match.replay(found.moves, atEnd ? found.moves.length : this.match.state!.step)
  }

  private async tournament(file: string) {
    this.live = undefined
    try {
      const text = await (await this.fetch(`matches/${encodeURIComponent(file)}`)).text()
      const lines = text.split('\n').flatMap((line) => { try { return line ? [JSON.parse(line)] : [] } catch { return [] } })
      const table = new Map<string, { points: number; matches: number; rating: number }>(), over: { name: string; ratings: number[] }[] = []
      // The first line names the players, and every other one is a match that was played.
      const names: string[] = (lines[0]?.players ?? []).map((player: unknown) => Array.isArray(player) ? String(player[0]) : String(player))
      for (const line of lines.slice(1)) {
        const players: string[] = (line.players ?? []).map((player: number) => names[player] ?? String(player)), goals: number[] = line.goals ?? []
        if (players.length < 2 || goals.length !== players.length) continue
        const of = (name: string) => { if (!table.has(name)) { table.set(name, { points: 0, matches: 0, rating: 1500 }); over.push({ name, ratings: [] }) } return table.get(name)! }
        const entries = players.map(of), before = entries.map((entry) => entry.rating)
        entries.forEach((entry, me) => {
          entry.points += goals[me]; entry.matches++
          entries.forEach((_, other) => {
            if (other === me) return
            const score = goals[me] > goals[other] ? 1 : goals[me] < goals[other] ? 0 : .5
            entry.rating += 24 / (players.length - 1) * (score - 1 / (1 + 10 ** ((before[other] - before[me]) / 400)))
          })
        })
        for (const one of over) one.ratings.push(table.get(one.name)!.rating)
      }
      const rows = [...table].sort((a, b) => b[1].rating - a[1].rating)
      over.sort((a, b) => table.get(b.name)!.rating - table.get(a.name)!.rating)
      replace(this.info, h('div', { class: 'card' }, h('h2', {}, file), rows.length ? h('table', { class: 'plain' }, h('thead', {}, h('tr', {}, ['player', 'matches', 'mean goal', 'rating'].map((name) => h('th', { scope: 'col' }, name)))),
        h('tbody', {}, rows.map(([name, entry]) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', { class: 'n' }, String(entry.matches)), h('td', { class: 'n' }, (entry.points / entry.matches).toFixed(1)), h('td', { class: 'n' }, entry.rating.toFixed(0))))))
        : h('p', { class: 'soft' }, 'No match of this tournament is over yet.'), rows.length ? [plot(over), h('p', { class: 'soft' }, 'Elo ratings, updated match by match. The command groundrules tournament --table fits all matches at once, so its ratings lie further apart.')] : null))
    } catch (error) { this.complain((error as Error).message) }
  }
}

/** Ratings over time. */
function plot(lines: { name: string; ratings: number[] }[]): SVGSVGElement {
  const SVG = 'http://www.w3.org/2000/svg', svg = document.createElementNS(SVG, 'svg'), colours = ['#1f7a74', '#c26a00', '#7a3fa0', '#2b64b8', '#b3261e', '#4d7a1f']
  svg.setAttribute('viewBox', '0 0 340 160'); svg.setAttribute('class', 'plot'); svg.setAttribute('role', 'img'); svg.setAttribute('aria-label', 'Ratings over time')
  const all = lines.flatMap((line) => line.ratings), least = Math.min(...all), most = Math.max(...all, least + 1), length = Math.max(2, ...lines.map((line) => line.ratings.length))
  lines.slice(0, 6).forEach((line, number) => {
    const offset = length - line.ratings.length
    const path = document.createElementNS(SVG, 'polyline')
    path.setAttribute('points', line.ratings.map((rating, at) => `${10 + 230 * (at + offset) / (length - 1)},${150 - 140 * (rating - least) / (most - least)}`).join(' '))
    path.setAttribute('fill', 'none'); path.setAttribute('stroke', colours[number]); path.setAttribute('stroke-width', '2')
    const text = document.createElementNS(SVG, 'text')
    text.setAttribute('x', '248'); text.setAttribute('y', String(16 + 16 * number)); text.setAttribute('fill', colours[number]); text.setAttribute('font-size', '12')
    text.textContent = line.name
    svg.append(path, text)
  })
  return svg
}
