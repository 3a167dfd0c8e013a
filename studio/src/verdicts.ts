// Verdicts on the properties of a game: by visiting its states, and by proofs. They have an engine of their own, so that the match goes
// on meanwhile and stopping them costs nothing else.
import { figure, h, replace } from './dom'
import { connect, type Engine } from './engine'
import type { Match } from './match'

interface Verdict { property: string; outcome: 'holds' | 'fails' | 'open'; method: string | null; why: string; line: string[][] | null }
interface Told { what?: string; states?: number; depth?: number; verdict?: Verdict }

const ORDER = ['well-formedness', 'termination', 'playability', 'utility structure', 'weak winnability', 'strong winnability', 'monotonicity']

export class Verdicts {
  readonly element = h('div', {})
  private engine?: Engine
  private found = new Map<string, Verdict>()
  private text = ''
  private under = ''
  private buttons = h('div', { class: 'row', style: 'margin:6px 0' })
  private status = h('p', { class: 'soft', role: 'status', id: 'verdict-status' })
  private table = h('div', { id: 'verdicts' })
  private states = h('select', { 'aria-label': 'Most states' }, [['100000', '100 k states'], ['500000', '500 k states'], ['2000000', '2 M states']].map(([value, name]) => h('option', { value }, name)))
  private seconds = h('select', { 'aria-label': 'Longest proof' }, [['5', '5 s'], ['20', '20 s'], ['60', '60 s'], ['600', '10 min']].map(([value, name]) => h('option', { value }, name)))

  constructor(private match: Match, private complain: (text: string) => void) {
    this.element.append(h('p', { class: 'soft' }, 'Exploring visits the states of a small game. Proofs need none of them.'), this.buttons, this.status, this.table)
    match.addEventListener('change', () => { if (match.compiled && match.text !== this.text) this.forget() })
    this.show()
  }

  /** Another description: what was found does not concern it. */
  private forget() {
    this.stop()
    this.text = this.match.text
    this.found.clear()
    this.status.textContent = ''
    this.show()
  }

  private show() {
    replace(this.buttons, this.under
      ? h('button', { onclick: () => { this.stop(); this.status.textContent = 'It was stopped.' } }, 'Stop')
      : [h('span', { class: 'pair' }, h('button', { onclick: () => this.explore() }, 'Explore'), this.states),
        h('span', { class: 'pair' }, h('button', { onclick: () => this.prove() }, 'Prove'), this.seconds)])
    const verdicts = [...this.found.values()].sort((a, b) => ORDER.indexOf(a.property) - ORDER.indexOf(b.property))
    replace(this.table, verdicts.length > 0 && h('table', { class: 'plain' }, h('tbody', {}, verdicts.map((verdict) => h('tr', {}, h('th', { scope: 'row' }, verdict.property),
      h('td', {}, h('span', { class: `chip ${verdict.outcome === 'holds' ? 'good' : verdict.outcome === 'fails' ? 'bad' : ''}` }, verdict.outcome), ' ', verdict.why,
        verdict.method && h('span', { class: 'soft' }, ` (by ${verdict.method})`),
        verdict.line?.length ? h('button', { onclick: () => this.match.replay(verdict.line!, verdict.line!.length).catch((error) => this.complain(error.message)) }, 'Show') : null))))))
  }

  private stop() {
    if (this.under) this.engine?.stop()
    this.under = ''
    this.show()
  }

  /** Takes verdicts over. What is decided stays decided; two that contradict each other are a fault of the engine. */
  private take(verdicts: Verdict[]) {
    for (const verdict of verdicts) {
      const known = this.found.get(verdict.property)
      if (known && known.outcome !== 'open' && verdict.outcome !== 'open' && known.outcome !== verdict.outcome && verdict.property !== 'well-formedness') {
        this.complain(`Exploration and proof disagree about ${verdict.property}: please report this description.`)
      }
      if (!known || known.outcome === 'open' || verdict.outcome !== 'open') this.found.set(verdict.property, verdict)
    }
    this.show()
  }

  private async task(name: string, question: Record<string, unknown>, said: (answer: any) => string) {
    if (this.under || !this.match.compiled) return
    const text = this.text = this.match.text
    this.under = name
    this.status.textContent = `${name} …`
    this.show()
    try {
      this.engine ??= await connect(() => undefined)
      await this.engine.ask({ do: 'open', text })
      await this.engine.ask({ do: 'compile' })
      const answer = await this.engine.ask(question, (told: Told) => {
        if (text !== this.text || !this.under) return
        if (told.verdict) this.take([told.verdict])
        if (told.what) this.status.textContent = `${name}: ${told.what}${told.states ? `, ${figure(told.states)} states` : ''}${told.depth ? `, ${told.depth} moves deep` : ''}`
      })
      if (text !== this.text) return
      this.take(answer.verdicts)
      this.status.textContent = said(answer)
    } catch (error) {
      if (text === this.text && (error as Error).message !== 'it was stopped') this.status.textContent = (error as Error).message
    }
    if (text === this.text) { this.under = ''; this.show() }
  }

  private explore() {
    return this.task('Exploring', { do: 'verify', states: Number(this.states.value) }, (answer) => `${figure(answer.states)} states${answer.stop ? `; ${answer.stop}` : ', all of them'}`)
  }

  private prove() {
    return this.task('Proving', { do: 'prove', seconds: Number(this.seconds.value) }, (answer) => {
      const open = answer.verdicts.filter((verdict: Verdict) => verdict.outcome === 'open').length
      return open ? `${open} open: give it more time, or explore.` : 'Everything that proofs can decide is decided.'
    })
  }
}
