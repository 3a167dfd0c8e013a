// States per second of random playouts, in WebAssembly and natively, by processor time on one thread, as a table.
// Arguments: the program `groundrules`, and names of games of the library.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { Engine, initSync } from '../engine/engine.js'

const [, , program, ...games] = process.argv
initSync({ module: gunzipSync(readFileSync(new URL('../../crates/page/dist/assets/engine_bg.wasm.gz', import.meta.url))) })
const engine = new Engine()
const ask = (question) => {
  const { answer, error } = JSON.parse(engine.ask(JSON.stringify(question)))
  if (error !== undefined) throw new Error(error)
  return answer
}
const short = (rate) => `${(rate / 1e6).toPrecision(3)} M`

console.log('| game | WebAssembly | native | engine |\n| --- | ---: | ---: | --- |')
for (const game of games) {
  ask({ do: 'open', text: readFileSync(new URL(`../../games/${game}.kif`, import.meta.url), 'utf8') })
  const { engine: kind } = ask({ do: 'compile' })
  ask({ do: 'run', seed: 1, maxSteps: 10000 })
  // The host compiles better code for what runs for a while.
  let report
  for (let slice = 0; slice < 5; slice++) report = ask({ do: 'run-slice', millis: 200 })
  const [states, before] = [report.states, process.cpuUsage()]
  for (let slice = 0; slice < 10; slice++) report = ask({ do: 'run-slice', millis: 200 })
  const { user, system } = process.cpuUsage(before)
  const native = JSON.parse(execFileSync(program, ['run', game, '--seconds', '2', '--threads', '1', '--json'], { stdio: ['ignore', 'pipe', 'ignore'] }))
  console.log(`| ${game} | ${short((report.states - states) / ((user + system) / 1e6))} | ${short(native.states / native.cpu_seconds)} | ${kind} |`)
}
