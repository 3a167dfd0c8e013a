// The page as a person uses it, in Chromium. Arguments: the program `groundrules`, and the browser.
// Every test has a page of its own, on the engine of the browser unless it says otherwise.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'

const [, , program, executablePath = '/usr/bin/chromium', only = ''] = process.argv
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'studio-'))

const server = spawn(program, ['studio', '--quiet', '--matches', folder], { stdio: ['ignore', 'pipe', 'inherit'] })
const url = await new Promise((resolve) => createInterface({ input: server.stdout }).once('line', (line) => resolve(line.replace(/^.* at /, ''))))
const [page, token] = [url.replace(/\?.*$/, ''), url.replace(/^.*\?/, '?')]
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })

const tests = []
const test = (name, run) => tests.push({ name, run })
const PATIENCE = Number(process.env.PATIENCE ?? 60_000)

/** Opens the page and waits for a board. */
async function open(tab, address) {
  await tab.goto(`${page}${address}`)
  await tab.waitForFunction(() => window.studio?.match.state, null, { timeout: PATIENCE })
}
const state = (tab) => tab.evaluate(() => { const { step, steps, terminal, goals } = window.studio.match.state; return { step, steps, terminal, goals, asked: window.studio.match.asked() ?? null } })
const until = (tab, check, argument) => tab.waitForFunction(check, argument, { timeout: PATIENCE })
const cell = (tab, name) => tab.locator(`#board [data-name="${name}"]`).click({ force: true })
const players = (tab, ...names) => tab.evaluate((names) => names.forEach((name, role) => window.studio.match.setPlayer(role, name)), names)

test('loads, and draws the first board', async (tab) => {
  await open(tab, '#game=tic-tac-toe')
  assert.equal(await tab.locator('#board [data-cell]').count(), 9)
  assert.equal(await tab.locator('#verdict').textContent(), 'bounded GDL')
})

test('shows an error while one types, and fixes it', async (tab) => {
  await open(tab, '#game=tic-tac-toe')
  await tab.evaluate(() => {
    const { view } = window.studio.editor, at = view.state.doc.toString().indexOf('(true (cell') + 1
    view.dispatch({ changes: { from: at, to: at + 4, insert: 'treu' } })
  })
  await until(tab, () => document.querySelector('#problems .fixes button'))
  const found = await tab.locator('#problems').textContent()
  assert.match(found, /treu/)
  assert.ok(await tab.locator('#board svg').isVisible(), 'the last good board stays')
  await tab.locator('#problems .fixes button', { hasText: /true/ }).first().click()
  await until(tab, () => document.querySelector('#verdict').textContent === 'bounded GDL' && !document.querySelector('#problems .error'))
})

test('tells what a relation means where the pointer is', async (tab) => {
  await open(tab, '#game=tic-tac-toe')
  await tab.evaluate(() => {
    const { view } = window.studio.editor, at = view.state.doc.toString().indexOf('(<= (line') + 5
    view.dispatch({ selection: { anchor: at } , scrollIntoView: true })
  })
  await tab.waitForTimeout(300)
  const place = await tab.evaluate(() => {
    const { view } = window.studio.editor, { left, top, bottom } = view.coordsAtPos(view.state.selection.main.head + 1)
    return [left, (top + bottom) / 2]
  })
  await tab.mouse.move(place[0] - 30, place[1] + 60)
  await tab.mouse.move(...place, { steps: 4 })
  const hover = tab.locator('.cm-tooltip .hover')
  await hover.waitFor({ timeout: PATIENCE })
  const text = await hover.textContent()
  assert.match(text, /dynamic/)
  assert.match(text, /argument 1/)
  assert.match(text, /\d+ ground instances?/)
})

test('renames, formats, completes, and finds definitions', async (tab) => {
  await open(tab, '#game=tic-tac-toe')
  const select = (words, inside) => tab.evaluate(({ words, inside }) => {
    const { view } = window.studio.editor, at = view.state.doc.toString().lastIndexOf(words) + inside
    view.dispatch({ selection: { anchor: at } })
    view.focus()
  }, { words, inside })
  const text = () => tab.evaluate(() => window.studio.editor.text)
  tab.on('dialog', (dialog) => dialog.accept('lane'))
  await select('(line', 2)
  await tab.keyboard.press('F12')
  await until(tab, () => { const { view } = window.studio.editor; const { head } = view.state.selection.main; return view.state.doc.lineAt(head).text.includes('(<= (line') })
  await tab.keyboard.press('F2')
  await until(tab, () => window.studio.editor.text.includes('(lane'))
  assert.ok(!(await text()).includes('(line'))
  const neat = await text()
  await tab.evaluate(() => { const { view } = window.studio.editor; view.dispatch({ changes: { from: view.state.doc.length, insert: '\n   (  tidy   a\n   )' } }) })
  await tab.keyboard.press('Shift+Alt+F')
  await until(tab, () => /\(tidy a\)/.test(window.studio.editor.text))
  // What was typed a moment ago, and is not read yet, is formatted, too.
  await tab.evaluate(() => {
    const { editor } = window.studio
    editor.view.dispatch({ changes: { from: editor.text.length, insert: '\n  (  tidy   b )' } })
    editor.format()
  })
  await until(tab, () => /\(tidy b\)/.test(window.studio.editor.text))
  assert.notEqual(await text(), neat)
  await tab.evaluate(() => { const { view } = window.studio.editor; view.dispatch({ selection: { anchor: view.state.doc.length } }); view.focus() })
  await tab.keyboard.type('\n(<= (pair ?x ?y) (lane ?x')
  await tab.keyboard.press('Escape')
  await tab.keyboard.press('Control+Space')
  await tab.locator('.cm-tooltip-autocomplete li').first().waitFor({ timeout: PATIENCE })
})

test('shows its keys, and goes by them', async (tab) => {
  await open(tab, '#game=tic-tac-toe')
  await tab.evaluate(() => document.activeElement?.blur())
  await tab.keyboard.press('?')
  assert.match(await tab.locator('#dialog').textContent(), /one move back or on/)
  await tab.keyboard.press('Escape')
  await until(tab, () => !document.querySelector('#dialog').open)
  await tab.evaluate(() => document.activeElement?.blur())
  for (const [key, pane] of [['1', 'editor'], ['2', 'board'], ['3', 'play'], ['4', 'inspect'], ['5', 'run'], ['6', 'watch']]) {
    await tab.keyboard.press(key)
    await until(tab, (pane) => document.body.dataset.pane === pane, pane)
  }
  // A whole move by the keyboard alone: to a cell, and press it.
  await players(tab, 'person', 'person')
  await tab.locator('#board [data-name="2 2"]').focus()
  await tab.keyboard.press('Enter')
  await until(tab, () => window.studio.match.state.step === 1)
  await tab.evaluate(() => document.activeElement?.blur())
  await tab.keyboard.press('Home')
  await until(tab, () => window.studio.match.state.step === 0)
  await tab.keyboard.press('End')
  await until(tab, () => window.studio.match.state.step === 1)
  await tab.keyboard.press('u')
  await until(tab, () => window.studio.match.state.step === 0)
})

test('refuses links that carry nothing, or too much', async (tab) => {
  const zeros = await (async () => {
    const stream = new Blob([new Uint8Array(64 << 20)]).stream().pipeThrough(new CompressionStream('deflate-raw'))
    return Buffer.from(await new Response(stream).arrayBuffer()).toString('base64url')
  })()
  for (const [code, said] of [['AAAA', 'damaged'], ['%%%', 'damaged'], [zeros, 'too large']]) {
    await tab.goto('about:blank')
    await open(tab, `#d=${code}`)
    await until(tab, (said) => document.querySelector('#toast').textContent.includes(said), said)
  }
})

test('plays tic-tac-toe by clicking, to a draw', async (tab) => {
  await open(tab, '#game=tic-tac-toe')
  await players(tab, 'person', 'person')
  const line = ['1 1', '2 2', '1 2', '1 3', '3 1', '2 1', '2 3', '3 2', '3 3']
  for (const [step, name] of line.entries()) {
    await cell(tab, name)
    await until(tab, (step) => window.studio.match.state.step === step, step + 1)
  }
  const end = await state(tab)
  assert.deepEqual([end.terminal, end.goals], [true, [[50], [50]]])
  assert.match(await tab.locator('#facts').textContent(), /cross: 50/)
  await tab.locator('#board').click({ position: { x: 3, y: 3 } })
  for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowRight']) { const { step } = await state(tab); await tab.keyboard.press(key); await until(tab, (step) => window.studio.match.state.step !== step, step) }
  assert.equal((await state(tab)).step, 8)
})

test('plays connect four against the search, and shows its thoughts', async (tab) => {
  await open(tab, '#game=connect-four')
  await tab.evaluate(() => { window.studio.match.seconds = 0.3; window.thought = 0; window.studio.match.addEventListener('change', () => { if (document.querySelector('#board .heat')) window.thought++ }) })
  for (let turn = 0; turn < 3; turn++) {
    await cell(tab, `${turn + 2} 6`)
    await until(tab, (step) => window.studio.match.state.step >= step && window.studio.match.asked() === 0, 2 * (turn + 1))
  }
  assert.ok(await tab.evaluate(() => window.thought) > 0, 'bars were on the board')
  await tab.getByRole('button', { name: 'Undo' }).click()
  await until(tab, () => window.studio.match.state.step === 4)
})

test('says what is wrong with files that it cannot read', async (tab) => {
  await open(tab, '#game=tic-tac-toe')
  const drop = (name, bytes) => tab.evaluate(({ name, bytes }) => {
    const data = new DataTransfer()
    data.items.add(new File([new Uint8Array(bytes)], name))
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  }, { name, bytes: [...bytes] })
  const toast = async (pattern) => { await until(tab, (source) => new RegExp(source).test(document.querySelector('#toast').textContent), pattern) }
  await drop('picture.png', [137, 80, 78, 71, 0, 0, 1])
  await toast('is no text')
  await drop('broken.json', Buffer.from('{"moves": [['))
  await toast('neither a match file nor a trace')
  await drop('half.kif', Buffer.from('(role x) (init (cell 1'))
  await until(tab, () => document.querySelector('#problems .error'))
  assert.match(await tab.locator('#board').textContent(), /errors/)
})

test('lives through hostile descriptions', async (tab) => {
  await open(tab, '#game=tic-tac-toe')
  const show = (text) => tab.evaluate((text) => { window.studio.match.compiled = undefined; window.studio.editor.show(text) }, text)
  await show('('.repeat(1_000_000))
  await until(tab, () => /error/.test(document.querySelector('#verdict').textContent))
  const digits = Array.from({ length: 40 }, (_, n) => `(d ${n})`).join(' ')
  await show(`(role you) ${digits} (init (at 0 0 0 0 0 0))
    (<= (legal you (go ?a ?b ?c ?e ?f ?g)) (d ?a) (d ?b) (d ?c) (d ?e) (d ?f) (d ?g))
    (<= (next (at ?a ?b ?c ?e ?f ?g)) (does you (go ?a ?b ?c ?e ?f ?g)))
    (<= terminal (true (at 1 1 1 1 1 1))) (<= (goal you 100) (true (at 1 1 1 1 1 1))) (<= (goal you 0) (not (true (at 1 1 1 1 1 1))))`)
  await until(tab, () => document.querySelector('.busy button') || document.querySelector('#board .empty') || window.studio.match.compiled)
  const stop = tab.locator('.busy button')
  if (await stop.count()) await stop.click({ timeout: 3000 }).catch(() => undefined)
  await tab.selectOption('#library', 'tic-tac-toe')
  await until(tab, () => document.querySelectorAll('#board [data-cell]').length === 9 && window.studio.match.state)
})

test('draws what lies over the board when it is shown again', async (tab) => {
  await tab.setViewportSize({ width: 390, height: 844 })
  await open(tab, '#game=connect-four')
  await players(tab, 'person', 'person')
  await tab.getByRole('tab', { name: 'Play' }).first().click()
  await tab.evaluate(() => window.studio.match.choose(0, '(drop 1)'))
  await until(tab, () => window.studio.match.state.step === 1)
  // Meanwhile a new match begins, and red is to win with its next move.
  await tab.getByRole('button', { name: 'New match' }).click()
  await until(tab, () => window.studio.match.state.steps === 0)
  for (const [step, move] of ['(drop 3)', '(drop 6)', '(drop 3)', '(drop 6)', '(drop 3)', '(drop 6)'].entries()) {
    await tab.evaluate(([role, move]) => window.studio.match.choose(role, move), [step % 2, move])
    await until(tab, (step) => window.studio.match.state.step === step, step + 1)
  }
  await tab.getByRole('button', { name: 'Analyse' }).click()
  await until(tab, () => window.studio.match.thoughts?.of.known)
  assert.match(await tab.locator('#pane-play .chosen').textContent(), /drop 3/)
  await tab.getByRole('tab', { name: 'Board' }).first().click()
  assert.equal(await tab.locator('#board .spot').count(), 7)
  const inside = await tab.evaluate(() => {
    const board = document.querySelector('#board svg').getBoundingClientRect()
    const middle = (element) => { const { x, y, width, height } = element.getBoundingClientRect(); return [(x + width / 2 - board.x) / board.width, (y + height / 2 - board.y) / board.height] }
    return [...document.querySelectorAll('#board .spot, #board .heat .frame')].map(middle)
  })
  assert.ok(inside.every(([x, y]) => x > 0.05 && y > 0.05), inside.join('; '))
  assert.equal(await tab.locator('#board .heat .frame').count(), 1)
})

test('keeps the match over a reload', async (tab) => {
  await open(tab, '#game=tic-tac-toe')
  await players(tab, 'person', 'person')
  await cell(tab, '2 2')
  await until(tab, () => window.studio.match.state.step === 1)
  await cell(tab, '1 1')
  await until(tab, () => window.studio.match.state.step === 2)
  await tab.reload()
  await until(tab, () => window.studio?.match.state?.step === 2)
  assert.equal(await tab.locator('#board [data-name="2 2"] title').textContent(), 'cross')
})

test('works without a network after the first visit', async (tab) => {
  await open(tab, '#game=tic-tac-toe')
  await tab.evaluate(() => navigator.serviceWorker.ready)
  await tab.waitForTimeout(500)
  await tab.context().setOffline(true)
  await tab.reload()
  await until(tab, () => window.studio?.match.state)
  await tab.context().setOffline(false)
})

test('a link carries the description', async (tab) => {
  await open(tab, '#game=nim')
  await tab.locator('#share').click()
  const address = await tab.locator('#dialog input').inputValue()
  const other = await (await browser.newContext()).newPage()
  await other.goto(address)
  await until(other, () => window.studio?.match.state)
  assert.equal(await other.evaluate(() => window.studio.editor.text), await tab.evaluate(() => window.studio.editor.text))
  await other.context().close()
})

test('runs playouts in the browser and natively', async (tab) => {
  for (const address of ['#game=connect-four', `${token}#game=connect-four`]) {
    await open(tab, address)
    assert.equal(await tab.evaluate(() => window.studio.match.engine.kind), address.startsWith('#') ? 'browser' : 'native')
    await tab.evaluate(() => { window.studio.run.toggle() })
    await until(tab, () => window.studio.run.last?.playouts > 1000)
    // Figures and histograms, of both roles and of the lengths, fill while the playouts go on.
    const figures = () => tab.locator('#pane-run .figures').textContent()
    const before = await figures()
    await until(tab, (before) => document.querySelector('#pane-run .figures').textContent !== before, before)
    const bars = await tab.evaluate(() => [...document.querySelectorAll('#pane-run .histogram')].map((one) => one.querySelectorAll('rect').length))
    assert.equal(bars.length, 3)
    assert.ok(bars.every((count) => count > 1), bars.join())
    await tab.evaluate(() => { window.studio.run.toggle() })
    const { rate, goals } = await tab.evaluate(() => window.studio.run.last)
    assert.ok(rate > 0 && goals[0].mean > 45 && goals[0].mean < 65, JSON.stringify(goals))
    await tab.goto('about:blank')
  }
})

test('says why a move is not legal', async (tab) => {
  await open(tab, '#game=tic-tac-toe')
  await players(tab, 'person', 'person')
  await cell(tab, '2 2')
  await until(tab, () => window.studio.match.state.step === 1)
  await tab.getByRole('tab', { name: 'Inspect' }).last().click()
  await tab.getByLabel('Atom', { exact: true }).fill('(legal nought (place 2 2))')
  await tab.getByRole('button', { name: 'Why?' }).click()
  await until(tab, () => /cell 2 2 empty/.test(document.querySelector('.proof').textContent))
})

test('draws the network and the dependencies', async (tab) => {
  await open(tab, '#game=tic-tac-toe')
  await tab.getByRole('tab', { name: 'Inspect' }).last().click()
  for (const name of ['Network', 'Dependencies']) {
    const part = tab.locator('#pane-inspect details', { has: tab.locator('summary', { hasText: name }) })
    await part.locator('summary').first().click()
    await part.getByRole('button', { name: 'Draw' }).click()
    await part.locator('svg').first().waitFor({ timeout: PATIENCE })
    assert.ok(await part.locator('svg text').count() > 5, name)
  }
})

test('proves while the match goes on, and shows the line that refutes', async (tab) => {
  await open(tab, '#game=connect-four')
  await players(tab, 'person', 'person')
  await tab.getByRole('tab', { name: 'Inspect' }).last().click()
  await tab.locator('#pane-inspect summary', { hasText: 'Verdicts' }).click()
  await tab.getByRole('button', { name: 'Prove' }).click()
  await until(tab, () => /Proving/.test(document.querySelector('#verdict-status').textContent))
  await cell(tab, '4 6')
  await until(tab, () => window.studio.match.state.step === 1)
  await until(tab, () => /decided/.test(document.querySelector('#verdict-status').textContent))
  assert.match(await tab.locator('#verdicts tr', { hasText: 'playability' }).textContent(), /holds/)
  assert.match(await tab.locator('#verdicts tr', { hasText: 'well-formedness' }).textContent(), /holds/)
  // A role without a move: the line to it is shown on the board.
  const stuck = `(role you) (init (at 1)) (succ 1 2) (succ 2 3) (<= (legal you go) (true (at ?x)) (succ ?x ?y)) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
    (<= terminal (true (at 4))) (goal you 100)`
  await tab.evaluate((text) => window.studio.editor.show(text), stuck)
  await until(tab, () => window.studio.match.compiled?.roles.join() === 'you')
  assert.equal(await tab.locator('#verdicts tr').count(), 0, 'another description has no verdicts yet')
  await tab.getByRole('button', { name: 'Explore' }).click()
  await until(tab, () => /all of them/.test(document.querySelector('#verdict-status').textContent))
  await tab.locator('#verdicts tr', { hasText: 'playability' }).getByRole('button', { name: 'Show' }).click()
  await until(tab, () => window.studio.match.state.step === 2)
})

test('stops a proof, and the match goes on', async (tab) => {
  await open(tab, '#game=mini-checkers')
  await players(tab, 'person', 'person')
  await tab.getByRole('tab', { name: 'Inspect' }).last().click()
  await tab.locator('#pane-inspect summary', { hasText: 'Verdicts' }).click()
  await tab.getByLabel('Longest proof').selectOption('600')
  await tab.getByRole('button', { name: 'Prove' }).click()
  await until(tab, () => /Proving: /.test(document.querySelector('#verdict-status').textContent))
  // The button is drawn anew with every verdict, so it is pressed in one step.
  await tab.evaluate(() => [...document.querySelectorAll('#pane-inspect button')].find((button) => button.textContent === 'Stop').click())
  await until(tab, () => /stopped/.test(document.querySelector('#verdict-status').textContent))
  await tab.evaluate(() => { const { match } = window.studio; match.choose(match.asked(), match.state.legal[match.asked()][0].text) })
  await until(tab, () => window.studio.match.state.step === 1)
})

test('makes a random move for a person whose time is over', async (tab) => {
  await open(tab, '#game=tic-tac-toe')
  await players(tab, 'person', 'person')
  await tab.getByLabel('Seconds per move').fill('0.5')
  await tab.getByLabel('Seconds per move').press('Tab')
  await tab.getByLabel('for people too').check()
  await until(tab, () => /left/.test(document.querySelector('[data-clock="0"]').textContent))
  await until(tab, () => window.studio.match.state.step >= 1)
  assert.match(await tab.locator('#toast').textContent(), /time of cross is over/)
  await tab.getByLabel('for people too').uncheck()
  const { step } = await state(tab)
  await tab.waitForTimeout(900)
  assert.equal((await state(tab)).step, step, 'without a limit nobody moves for a person')
})

test('draws heaps and piles where there is no board', async (tab) => {
  await open(tab, '#game=nim')
  await players(tab, 'person', 'person')
  const counters = () => tab.locator('#facts .counters i').count()
  assert.equal(await counters(), 1 + 3 + 5 + 7)
  assert.match(await tab.locator('#board').textContent(), /No board was found/)
  await tab.evaluate(() => { const { match } = window.studio; match.choose(0, '(reduce d 2)') })
  await until(tab, () => window.studio.match.state.step === 1)
  assert.equal(await counters(), 1 + 3 + 5 + 2)
  await tab.selectOption('#library', 'towers-of-hanoi')
  await until(tab, () => document.querySelectorAll('#facts .stack').length === 3)
  assert.deepEqual(await tab.locator('#facts .stack').first().locator('span').allTextContents(), ['1', '2', '3', '4'])
})

test('tells how far exploring is', async (tab) => {
  await open(tab, '#game=connect-four')
  await tab.getByRole('tab', { name: 'Inspect' }).last().click()
  await tab.locator('#pane-inspect summary', { hasText: 'Verdicts' }).click()
  await tab.getByLabel('Most states').selectOption('2000000')
  await tab.getByRole('button', { name: 'Explore' }).click()
  await until(tab, () => /Exploring: .*\d.* states, \d+ moves deep/.test(document.querySelector('#verdict-status').textContent))
  // The button is drawn anew with every verdict, so it is pressed in one step.
  await tab.evaluate(() => [...document.querySelectorAll('#pane-inspect button')].find((button) => button.textContent === 'Stop').click())
  await until(tab, () => /stopped/.test(document.querySelector('#verdict-status').textContent))
})

test('shows the table of a tournament', async (tab) => {
  const plan = join(folder, 'plan.toml')
  writeFileSync(plan, 'folder = "cup"\ngames = ["tic-tac-toe"]\nrounds = 2\nplay-clock = 1\nstart-clock = 1\n[[player]]\nname = "left"\nplayer = "random"\n[[player]]\nname = "right"\nplayer = "greedy"\n')
  const played = spawn(program, ['tournament', plan, '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] })
  assert.equal(await new Promise((resolve) => played.once('exit', resolve)), 0)
  await open(tab, token)
  await tab.getByRole('tab', { name: 'Watch' }).last().click()
  await tab.locator('#pane-watch .atom', { hasText: '🏆' }).first().click()
  await until(tab, () => document.querySelectorAll('#pane-watch tbody tr').length === 2)
  const rows = await tab.locator('#pane-watch tbody tr').allTextContents()
  assert.ok(rows.some((row) => /^left/.test(row)) && rows.some((row) => /^right/.test(row)), rows.join('; '))
  assert.equal(await tab.locator('#pane-watch .plot polyline').count(), 2)
})

test('watches a match while it is played', async (tab) => {
  await open(tab, token)
  await tab.getByRole('tab', { name: 'Watch' }).last().click()
  const host = spawn(program, ['host', 'tic-tac-toe', '--player', 'mcts', '--player', 'random', '--start-clock', '1', '--play-clock', '1', '--folder', folder, '--id', 'live', '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] })
  await until(tab, () => [...document.querySelectorAll('#pane-watch .atom')].some((item) => /live/.test(item.textContent)))
  await tab.locator('#pane-watch .atom', { hasText: 'live' }).click()
  await until(tab, () => /over/.test(document.querySelector('#live')?.textContent ?? ''))
  await until(tab, () => window.studio.match.state.terminal)
  host.kill()
})

test('replays a match file that is dropped on the page', async (tab) => {
  await open(tab, '#game=nim')
  const rules = readFileSync(new URL('../../games/tic-tac-toe.kif', import.meta.url), 'utf8')
  writeFileSync(join(folder, 'dropped.json'), JSON.stringify({ matchId: 'm', gameRoleNames: ['cross', 'nought'], moves: [['(place 1 1)', 'noop'], ['noop', '(place 2 2)']], resume: { rules } }))
  await tab.setInputFiles('#file', join(folder, 'dropped.json'))
  await until(tab, () => window.studio.match.state?.steps === 2)
  await tab.evaluate(() => window.studio.match.go(2))
  await until(tab, () => document.querySelector('#board [data-name="2 2"] title')?.textContent === 'nought')
})

test('turns strangers away', async (tab) => {
  const status = async (address, headers) => (await tab.request.get(address, { headers })).status()
  assert.equal(await status(`${page}matches`), 403)
  assert.equal(await status(`${page}matches`, { 'x-studio-token': token.slice(7), origin: 'http://example.com' }), 403)
  assert.equal(await status(`${page}matches`, { 'x-studio-token': token.slice(7) }), 200)
  assert.equal(await status(`${page}matches/..%2f..%2fetc%2fpasswd`, { 'x-studio-token': token.slice(7) }), 404)
  assert.equal(await status(`${page}nothing`), 404)
})

for (const [theme, width] of [['light', 1440], ['dark', 1440], ['light', 390], ['dark', 390]]) {
  test(`is accessible: ${theme}, ${width} pixels wide`, async (tab) => {
    await tab.setViewportSize({ width, height: 900 })
    await tab.emulateMedia({ colorScheme: theme })
    await open(tab, '#game=tic-tac-toe')
    for (const pane of ['1', '2', '3', '4', '5', '6']) {
      await tab.evaluate(() => document.activeElement?.blur())
      await tab.keyboard.press(pane)
      await tab.waitForTimeout(250)
      await tab.evaluate(axe)
      const { violations } = await tab.evaluate(() => window.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }))
      assert.deepEqual(violations.map((found) => `${found.id}: ${found.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`), [], `pane ${pane}`)
    }
  })
}

let failed = 0
const chosen = tests.filter(({ name }) => name.includes(only))
for (const { name, run } of chosen) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const tab = await context.newPage()
  const faults = []
  tab.on('pageerror', (error) => faults.push(error.message))
  const began = Date.now()
  try {
    await run(tab)
    assert.deepEqual(faults, [], 'errors of the page')
    console.log(`ok: ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
  } catch (error) {
    failed++
    console.log(`FAILED: ${name}: ${error.stack ?? error}`)
    await tab.screenshot({ path: join(tmpdir(), `studio-failed-${failed}.png`) }).catch(() => undefined)
  }
  await context.close()
}
await browser.close()
server.kill()
console.log(`${chosen.length - failed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
