// The studio: opens what the address or the last visit says, connects the panes, and listens to keys and files.
import { $, announce, h, replace } from './dom'
import { Editor, type Report } from './editor'
import { connect, type Engine } from './engine'
import { library } from './games'
import { InspectPane } from './inspect'
import { Match, type Player } from './match'
import { PlayPane } from './play'
import { RunPane } from './run'
import { collect, link, linked, recall, remember, TooLarge } from './store'
import { WatchPane } from './watch'

const PANES: [string, string][] = [['editor', 'Editor'], ['board', 'Board'], ['play', 'Play'], ['inspect', 'Inspect'], ['run', 'Run'], ['watch', 'Watch']]
const SIDE = ['play', 'inspect', 'run', 'watch']

/** The largest file that is read, in bytes. */
const MOST_FILE = 64 << 20

let editor: Editor, match: Match, watch: WatchPane, inspect: InspectPane, run: RunPane
let name = ''
/** What the next compilation replays. */
let resume: { text: string; moves: string[][]; players?: Player[] } | undefined

function toast(text: string) {
  const box = $('#toast')
  box.textContent = text
  box.hidden = false
  clearTimeout(Number(box.dataset.timer))
  box.dataset.timer = String(window.setTimeout(() => { box.hidden = true }, 6000))
}

function showPane(pane: string, focus = false) {
  document.body.dataset.pane = pane
  const side = SIDE.includes(pane) ? pane : recall<string>('side') ?? 'play'
  if (SIDE.includes(pane)) remember('side', pane)
  remember('pane', pane)
  for (const other of SIDE) $(`#pane-${other}`).hidden = other !== side
  for (const tab of document.querySelectorAll<HTMLElement>('[role=tab]')) {
    const own = tab.parentElement!.id === 'tabs' ? pane : side
    tab.setAttribute('aria-selected', String(tab.dataset.pane === own))
    tab.tabIndex = tab.dataset.pane === own ? 0 : -1
    if (focus && tab.dataset.pane === own && tab.offsetParent) tab.focus()
  }
  if (side === 'inspect') inspect?.visible()
  if (pane === 'board') match?.redraw()
}

function tabs() {
  const make = (holder: Element, panes: [string, string][], prefix: string) => {
    replace(holder, panes.map(([id, label]) => h('button', { role: 'tab', 'data-pane': id, id: `${prefix}${id}`, 'aria-controls': `pane-${id}`, onclick: () => showPane(id) }, label)))
    holder.addEventListener('keydown', (event) => {
      const step = (event as KeyboardEvent).key === 'ArrowRight' ? 1 : (event as KeyboardEvent).key === 'ArrowLeft' ? -1 : 0
      if (!step) return
      event.stopPropagation()
      const at = panes.findIndex(([id]) => id === (document.activeElement as HTMLElement).dataset.pane)
      if (at >= 0) showPane(panes[(at + step + panes.length) % panes.length][0], true)
    })
  }
  make($('#tabs'), PANES, 'top-')
  make($('#side-tabs'), PANES.filter(([id]) => SIDE.includes(id)), 'tab-')
}

function theme(set?: string) {
  const dark = set ?? recall<string>('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  document.documentElement.dataset.theme = dark
  if (set) remember('theme', set)
}

let compileTimer = 0
function checked(report: Report, text: string) {
  remember('text', { text, name })
  clearTimeout(compileTimer)
  if (text === match.text && match.compiled) return
  if (!report.playable) {
    if (!match.compiled) {
      const first = report.diagnostics.find((found) => found.severity === 'error')
      replace($('#board'), h('div', { class: 'empty', role: 'note' }, h('b', {}, text.trim() ? 'The description has errors' : 'The description is empty'),
        first ? first.message : 'Choose a game above, or write one: it is played as soon as it has no errors.'))
    } else announce('The description has errors; the board shows the last one without.')
    return
  }
  const known = resume && resume.text === text ? resume : undefined
  resume = undefined
  const moves = known?.moves ?? match.state?.history.slice(0, match.state.step) ?? []
  compileTimer = window.setTimeout(() => {
    if (known?.players) match.players = known.players
    match.load(text, name, moves)
  }, match.compiled && match.name === name ? 350 : 0)
}

function openText(text: string, title: string, moves: string[][] = [], players?: Player[]) {
  name = title
  document.title = title ? `${title} – Groundrules studio` : 'Groundrules studio'
  resume = { text, moves, players }
  match.compiled = undefined
  match.text = ''
  editor.show(text)
}

function pickGame(id: string) {
  const game = library.find((candidate) => candidate.id === id)
  if (!game) return
  history.replaceState(null, '', `${location.pathname}${location.search}#game=${id}`)
  match.players = []
  openText(game.text, game.name)
}

async function openFile(file: File) {
  if (file.size > MOST_FILE) { toast(`${file.name} has ${(file.size / 1e6).toFixed(0)} MB, which is too much for a page.`); return }
  let text: string
  try {
    const packed = file.name.endsWith('.gz')
    text = packed ? new TextDecoder().decode(await collect(file.stream().pipeThrough(new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, any>), MOST_FILE)) : await file.text()
  } catch (error) { toast(error instanceof TooLarge ? `${file.name} is too large for a page: ${error.message}.` : `${file.name} cannot be read.`); return }
  if (text.includes('\u0000')) { toast(`${file.name} is no text: drop a description (.kif), a match file or a trace (.json, .jsonl).`); return }
  if (/^\s*\{/.test(text) || /\.jsonl?(\.gz)?$/.test(file.name)) {
    try { await watch.read(text); showPane('watch') } catch (error) { toast(`${file.name}: ${(error as Error).message}`) }
    return
  }
  history.replaceState(null, '', location.pathname + location.search)
  $<HTMLSelectElement>('#library').value = ''
  match.players = []
  openText(text, file.name.replace(/\.\w+$/, ''))
  if (document.body.dataset.pane !== 'board') showPane('editor')
}

function save() {
  const address = URL.createObjectURL(new Blob([editor.text], { type: 'text/plain' }))
  h('a', { href: address, download: `${(name || 'game').toLowerCase().replace(/[^a-z0-9]+/g, '-')}.kif` }).click()
  setTimeout(() => URL.revokeObjectURL(address), 1000)
}

async function share() {
  const address = await link(editor.text)
  history.replaceState(null, '', address.slice(address.indexOf('#')))
  const copied = await navigator.clipboard?.writeText(address).then(() => true, () => false)
  dialog('Share', h('p', {}, copied ? 'The link is copied. It carries the whole description: no server keeps it.' : 'This link carries the whole description: no server keeps it.'),
    h('input', { type: 'text', readonly: true, value: address, 'aria-label': 'Link', style: 'width:100%' }), address.length > 8000 && h('p', { class: 'soft' }, 'It is long; some programs cut such links.'))
}

function dialog(title: string, ...inner: (Node | string | false)[]) {
  const box = $<HTMLDialogElement>('#dialog')
  replace(box, h('h2', { id: 'dialog-title' }, title), ...inner, h('form', { method: 'dialog', style: 'text-align:right; margin-top:14px' }, h('button', { class: 'main', value: 'close', autofocus: true }, 'Close')))
  box.showModal()
}

function help() {
  const key = (keys: string, what: string) => h('tr', {}, h('td', {}, h('kbd', {}, keys)), h('td', {}, what))
  dialog('Help', h('p', {}, 'Write a game in GDL, or choose one. The board is drawn from the rules. Click a cell to move there; click a piece, then where it goes. Everything runs in this page.'),
    h('table', { class: 'plain' }, h('tbody', {}, key('← →', 'one move back or on'), key('Home End', 'to the beginning or the end of the match'), key('A', 'analyse'), key('N', 'new match'), key('U', 'undo'),
      key('1 … 6', 'Editor, Board, Play, Inspect, Run, Watch'), key('F12', 'in the editor: to the definition (or Ctrl+click)'), key('F2', 'in the editor: rename'), key('Shift+Alt+F', 'in the editor: format'), key('Ctrl+S', 'save'), key('?', 'this help'))))
}

function keys() {
  window.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement
    if ((event.ctrlKey || event.metaKey) && event.key === 's') { event.preventDefault(); save(); return }
    if ((event.ctrlKey || event.metaKey) && event.key === 'o') { event.preventDefault(); $('#file').click(); return }
    if (target.closest('.cm-editor, input, select, textarea, dialog, [role=tablist]')) return
    if ((event.ctrlKey || event.metaKey) && event.key === 'z') { event.preventDefault(); match.undo(); return }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const state = match.state
    const act: Record<string, () => void> = {
      ArrowLeft: () => state && match.go(state.step - 1), ArrowRight: () => state && match.go(state.step + 1),
      Home: () => match.go(0), End: () => state && match.go(state.steps), '?': help, a: () => match.analyse(!match.analysing), n: () => match.restart(), u: () => match.undo(),
    }
    PANES.forEach(([id], number) => { act[String(number + 1)] = () => showPane(id) })
    const run = act[event.key]
    if (run) { event.preventDefault(); run() }
  })
}

function files() {
  const input = $<HTMLInputElement>('#file')
  $('#open').addEventListener('click', () => input.click())
  input.addEventListener('change', () => { if (input.files?.[0]) openFile(input.files[0]); input.value = '' })
  let depth = 0
  window.addEventListener('dragenter', (event) => { event.preventDefault(); depth++; document.body.classList.add('drop') })
  window.addEventListener('dragleave', () => { if (--depth <= 0) document.body.classList.remove('drop') })
  window.addEventListener('dragover', (event) => event.preventDefault())
  window.addEventListener('drop', (event) => {
    event.preventDefault(); event.stopPropagation()
    depth = 0
    document.body.classList.remove('drop')
    const file = event.dataTransfer?.files[0]
    if (file) openFile(file)
  }, true)
}

async function start() {
  theme()
  tabs()
  const engine: Engine = await connect(() => toast('The program groundrules studio has ended. Start it again, and reload this page.'))
  const second: Engine = await connect(() => undefined)
  match = new Match(engine, toast)
  match.addEventListener('pane', () => showPane('editor'))
  editor = new Editor($('#editor'), second, checked, (error) => toast(error.message),
    (text) => match.compiled && match.text === text && !match.busy ? match.engine : undefined)
  new PlayPane(match)
  inspect = new InspectPane(match, () => editor, toast)
  run = new RunPane(match, toast)
  watch = new WatchPane(match, async (text, title, moves, step) => {
    if (text !== match.text) {
      name = title
      resume = undefined
      match.players = []
      await match.load(text, title, [])
      editor.show(text)
    }
    match.players = match.compiled!.roles.map(() => 'person' as Player)
    await match.replay(moves, step)
  }, () => $('#file').click(), toast)
  const select = $<HTMLSelectElement>('#library')
  replace(select, h('option', { value: '' }, 'Games of the library …'), library.map((game) => h('option', { value: game.id, title: game.about }, `${game.name}${game.players ? ` (${game.players})` : ''}`)))
  select.addEventListener('change', () => pickGame(select.value))
  $('#save').addEventListener('click', save)
  $('#share').addEventListener('click', share)
  $('#help').addEventListener('click', help)
  $('#theme').addEventListener('click', () => theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'))
  keys()
  files()
  showPane(recall<string>('pane') ?? 'board')
  await first(select)
  window.addEventListener('hashchange', () => first(select))
  if ('serviceWorker' in navigator && engine.kind === 'browser' && location.protocol !== 'file:') navigator.serviceWorker.register('./sw.js').catch(() => undefined)
  // For tests: what a person sees, without the drawing.
  Object.assign(window, { studio: { match, editor, run } })
}

/** Opens what the address names, or what was open the last time. */
async function first(select: HTMLSelectElement) {
  let address: { text?: string; game?: string } = {}
  try { address = await linked() } catch (error) { toast(error instanceof TooLarge ? `The description in the link is too large: ${error.message}.` : 'The link is damaged: it carries no description.') }
  const before = recall<{ text: string; name: string }>('text'), played = recall<{ text: string; name: string; moves: string[][]; players: Player[] }>('match')
  const moves = (text: string) => played?.text === text ? played : undefined
  if (address.text !== undefined) openText(address.text, 'Shared description', moves(address.text)?.moves, moves(address.text)?.players)
  else {
    const game = library.find((candidate) => candidate.id === address.game)
    if (before && (!game || before.name === game.name)) {
      openText(before.text, before.name, moves(before.text)?.moves, moves(before.text)?.players)
      select.value = library.find((candidate) => candidate.text === before.text)?.id ?? ''
    } else {
      select.value = game?.id ?? 'tic-tac-toe'
      pickGame(select.value)
    }
  }
}

start()
