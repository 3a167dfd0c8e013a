// The engine behind one interface: a worker with WebAssembly, or the program `groundrules studio` over a WebSocket.
// Answers come in the order of questions. `stop` ends whatever is under way, at any cost: a worker is replaced.

export type Answer = any

export interface Engine {
  /** Asks. Long tasks tell how far they are before they answer. */
  ask(what: Record<string, unknown>, told?: (progress: any) => void): Promise<Answer>
  /** Ends what is under way. The session is lost: what was open has to be opened again. */
  stop(): void
  readonly kind: 'browser' | 'native'
}

export class EngineError extends Error {}

interface Waiting { resolve(answer: Answer): void; reject(error: Error): void; told?: (progress: any) => void }

abstract class Asking implements Engine {
  abstract readonly kind: 'browser' | 'native'
  protected waiting = new Map<number, Waiting>()
  private next = 1

  ask(what: Record<string, unknown>, told?: (progress: any) => void): Promise<Answer> {
    const id = this.next++
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, told })
      this.send(JSON.stringify({ id, ...what }))
    })
  }

  abstract stop(): void
  protected abstract send(text: string): void

  protected receive(text: string) {
    const { id, answer, error, progress } = JSON.parse(text)
    const waiting = this.waiting.get(id)
    if (progress !== undefined) { waiting?.told?.(progress); return }
    this.waiting.delete(id)
    if (error === undefined) waiting?.resolve(answer)
    else waiting?.reject(new EngineError(error))
  }

  protected fail(reason: string) {
    const all = [...this.waiting.values()]
    this.waiting.clear()
    all.forEach((waiting) => waiting.reject(new EngineError(reason)))
  }
}

/** WebAssembly in a worker. */
export class BrowserEngine extends Asking {
  readonly kind = 'browser'
  private worker!: Worker

  constructor() {
    super()
    this.start()
  }

  private start() {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = (event) => { if (worker === this.worker) this.receive(event.data) }
    worker.onerror = (event) => {
      event.preventDefault()
      if (worker !== this.worker) return
      // The engine is broken for good: out of memory, or a fault of ours. The next question gets a new one.
      worker.terminate()
      this.start()
      this.fail(`the engine stopped: ${event.message || 'it ran out of memory'}`)
    }
    this.worker = worker
  }

  protected send(text: string) { this.worker.postMessage(text) }

  stop() {
    this.worker.terminate()
    this.start()
    this.fail('it was stopped')
  }
}

/** The native engines, in the program that serves the page. */
export class NativeEngine extends Asking {
  readonly kind = 'native'
  private socket!: WebSocket
  private ready!: Promise<void>

  constructor(private address: string, private lost: () => void) {
    super()
    this.connect()
  }

  private connect() {
    const socket = new WebSocket(this.address)
    this.socket = socket
    this.ready = new Promise((resolve, reject) => {
      socket.onopen = () => resolve()
      socket.onclose = () => {
        reject(new EngineError('the program does not answer'))
        if (socket !== this.socket) return
        this.fail('the connection to the program is lost')
        this.lost()
      }
    })
    this.ready.catch(() => undefined)
    socket.onmessage = (event) => { if (socket === this.socket) this.receive(event.data) }
  }

  whenReady() { return this.ready }

  protected send(text: string) {
    this.ready.then(() => this.socket.send(text), (error) => this.fail(error.message))
  }

  stop() {
    const old = this.socket
    this.connect()
    old.close()
    this.fail('it was stopped')
  }
}

/** The engine for this page: the program's, if the page comes from it, else the browser's own. */
export async function connect(lost: () => void): Promise<Engine> {
  const token = new URLSearchParams(location.search).get('token')
  if (token) {
    const address = new URL(`./engine?token=${encodeURIComponent(token)}`, location.href)
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
    const native = new NativeEngine(address.href, lost)
    try {
      await native.whenReady()
      return native
    } catch { /* The browser's own engine does as well. */ }
  }
  return new BrowserEngine()
}
