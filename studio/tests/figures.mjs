// How fast the page is in Chromium, by the clock on the wall: the first board, diagnostics after a key press, frames while the search
// thinks, and states per second of random playouts. Arguments: the program `groundrules`, a large description, and names of games.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'

const [, , program, large, ...games] = process.argv
const server = spawn(program, ['studio', '--quiet'], { stdio: ['ignore', 'pipe', 'inherit'] })
const url = await new Promise((resolve) => createInterface({ input: server.stdout }).once('line', (line) => resolve(line.replace(/^.* at /, ''))))
const page = url.replace(/\?.*$/, '')
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
const median = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]

async function open(game) {
  const tab = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  const began = performance.now()
  await tab.goto(`${page}#game=${game}`)
  await tab.waitForFunction(() => window.studio?.match.state && document.querySelector('#board svg'))
  return { tab, millis: performance.now() - began }
}

const firsts = []
for (let run = 0; run < 5; run++) {
  const { tab, millis } = await open('connect-four')
  firsts.push(millis)
  await tab.context().close()
}
console.log(`first board: ${(median(firsts) / 1000).toFixed(2)} s, median of ${firsts.length}`)

{
  const { tab } = await open('tic-tac-toe')
  const times = await tab.evaluate(async (text) => {
    const { view } = window.studio.editor, problems = document.querySelector('#problems'), times = []
    const replace = (from, to, insert) => view.dispatch({ changes: { from, to, insert } })
    const changed = () => new Promise((resolve) => { const seen = new MutationObserver(() => { seen.disconnect(); resolve() }); seen.observe(problems, { childList: true, subtree: true, characterData: true }) })
    let shown = changed()
    replace(0, view.state.doc.length, text)
    await shown
    await new Promise((resolve) => setTimeout(resolve, 3000))
    for (let press = 0; press < 40; press++) {
      shown = changed()
      const began = performance.now()
      // A parenthesis more is an error, a parenthesis less is none.
      press % 2 ? replace(0, 1, '') : replace(0, 0, '(')
      await Promise.race([shown, new Promise((resolve) => setTimeout(resolve, 5000))])
      times.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    return times
  }, readFileSync(large, 'utf8'))
  console.log(`key press to diagnostics: ${median(times).toFixed(1)} ms median, ${Math.max(...times).toFixed(1)} ms at most, ${times.length} times`)
  await tab.context().close()
}

{
  const { tab } = await open('connect-four')
  const frames = await tab.evaluate(async () => {
    window.studio.match.seconds = 5
    window.studio.match.setPlayer(0, 'mcts')
    const times = []
    let before = performance.now()
    const end = before + 4000
    while (before < end) { const now = await new Promise(requestAnimationFrame); times.push(now - before); before = now }
    return times.slice(1)
  })
  const long = frames.filter((time) => time > 25).length
  console.log(`frames while the search thinks: ${(1000 / (frames.reduce((a, b) => a + b) / frames.length)).toFixed(1)} per second, ${long} of ${frames.length} longer than 25 ms`)
  await tab.context().close()
}

{
  // Twenty matches of connect four against random moves, on both sides, at half a second per move.
  const { tab } = await open('connect-four')
  const won = await tab.evaluate(async () => {
    const { match } = window.studio
    match.seconds = 0.5
    let won = 0
    for (let played = 0; played < 20; played++) {
      const own = played % 2
      await match.restart()
      match.setPlayer(own, 'mcts')
      match.setPlayer(1 - own, 'random')
      match.resume()
      while (!match.state.terminal) await new Promise((resolve) => setTimeout(resolve, 50))
      if (match.state.goals[own][0] === 100) won++
      match.setPlayer(0, 'person')
      match.setPlayer(1, 'person')
    }
    return won
  })
  console.log(`mcts against random at 0.5 s per move: ${won} of 20 matches of connect four won`)
  await tab.context().close()
}

console.log('| game | in Chromium |\n| --- | ---: |')
for (const game of games) {
  const { tab } = await open(game)
  const rate = await tab.evaluate(async () => {
    const { engine } = window.studio.match
    await engine.ask({ do: 'run', seed: 1, maxSteps: 10000 })
    // The browser compiles better code for what runs for a while.
    let run, began
    for (let slice = 0; slice < 20; slice++) {
      if (slice === 10) began = { states: run.states, at: performance.now() }
      run = await engine.ask({ do: 'run-slice', millis: 200 })
    }
    return (run.states - began.states) / ((performance.now() - began.at) / 1000)
  })
  console.log(`| \`${game}\` | ${(rate / 1e6).toPrecision(3)} M |`)
  await tab.context().close()
}
await browser.close()
server.kill()
