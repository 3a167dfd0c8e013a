// WebAssembly answers as the native program does: the same questions about public games and the moves of their traces get the same
// answers: verdicts and diagnostics, roles, and everything about every state. Figures of compiling may differ, for the page may have been
// built from an older engine. Arguments: the program `answer` (an example of crates/studio), the folders of games and traces.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { gunzipSync } from 'node:zlib'
import { Engine, initSync } from '../engine/engine.js'

const [, , program, games, traces] = process.argv
const GAMES = 55, LARGEST = 9_000, STEPS = 12
initSync({ module: gunzipSync(readFileSync(new URL('../../crates/page/dist/assets/engine_bg.wasm.gz', import.meta.url))) })

const native = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
const lines = createInterface({ input: native.stdout })[Symbol.asyncIterator]()
const engine = new Engine()
let questions = 0, different = 0

async function ask(question) {
  const text = JSON.stringify({ id: ++questions, ...question })
  native.stdin.write(`${text}\n`)
  const [ours, theirs] = [engine.ask(text), (await lines.next()).value].map((answer) => meaning(question.do, JSON.parse(answer)))
  if (ours !== theirs) {
    different++
    let at = 0
    while (ours[at] === theirs[at]) at++
    console.error(`${question.do}: WebAssembly says …${ours.slice(Math.max(0, at - 60), at + 120)}…, the program …${theirs.slice(Math.max(0, at - 60), at + 120)}…`)
  }
  return JSON.parse(ours).answer
}

/** What an answer says about the game. */
function meaning(asked, { answer, error }) {
  if (error !== undefined) return JSON.stringify({ error })
  if (asked === 'open') return JSON.stringify({ answer: { verdict: answer.verdict, found: answer.diagnostics.map(({ code, from, to }) => [code, from, to]) } })
  if (asked === 'compile') return JSON.stringify({ answer: { roles: answer.roles, nature: answer.nature, state: answer.state } })
  return JSON.stringify({ answer })
}

/** Proofs are a matter of time, so only what both decide is compared. */
async function prove() {
  const text = JSON.stringify({ id: ++questions, do: 'prove', seconds: 2 })
  native.stdin.write(`${text}\n`)
  const [ours, theirs] = [engine.ask(text), (await lines.next()).value].map((answer) => new Map(JSON.parse(answer).answer.verdicts.map(({ property, outcome }) => [property, outcome])))
  for (const [property, outcome] of ours) {
    if ([outcome, theirs.get(property)].includes('open') || outcome === theirs.get(property)) continue
    different++
    console.error(`prove: WebAssembly says that ${property} ${outcome}, the program that it ${theirs.get(property)}`)
  }
}

const files = readdirSync(traces).filter((file) => /\.jsonl(\.gz)?$/.test(file)).sort()
const fit = files.map((file) => ({ file, game: `${games}/${file.replace(/\.jsonl(\.gz)?$/, '')}.kif` }))
  .filter(({ game }) => existsSync(game) && statSync(game).size <= LARGEST)
const step = Math.max(1, Math.floor(fit.length / GAMES))
let played = 0
for (let number = 0; number < fit.length && played < GAMES; number += step) {
  const { file, game } = fit[number]
  const bytes = readFileSync(`${traces}/${file}`)
  const first = JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n')[0])
  const moves = first.steps.map((step) => step.joint).filter(Boolean).slice(0, STEPS)
  const before = different
  await ask({ do: 'open', text: readFileSync(game, 'utf8') })
  const compiled = await ask({ do: 'compile' })
  if (!compiled) continue
  for (const joint of moves) await ask({ do: 'advance', moves: joint })
  if (played % 6 === 0) await prove()
  played++
  if (different > before) console.error(`${game}: ${different - before} answers differ`)
}
native.stdin.end()
console.log(`${played} games, ${questions} questions, ${different} answers differ`)
if (different || played < 50) process.exit(1)
