// The worker: holds the engine and answers one question after the other.
import init, { Engine } from '../engine/engine.js'

const ready = init({ module_or_path: new URL('../engine/engine_bg.wasm', import.meta.url) }).then(() => new Engine())

self.onmessage = async (event: MessageEvent<string>) => {
  const engine = await ready
  try {
    self.postMessage(engine.ask(event.data))
  } catch (error) {
    // After a trap the engine is broken: the page starts another.
    setTimeout(() => { throw error })
  }
}
