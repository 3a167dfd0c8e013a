// What stays over a reload, and what a link carries.

const key = (name: string) => `groundrules.${name}`

export function remember(name: string, value: unknown) {
  try { localStorage.setItem(key(name), JSON.stringify(value)) } catch { /* Without room, nothing is remembered. */ }
}

export function recall<T>(name: string): T | undefined {
  try {
    const text = localStorage.getItem(key(name))
    return text === null ? undefined : JSON.parse(text) as T
  } catch { return undefined }
}

/** All bytes of a stream, up to so many: a few packed bytes can stand for any number. */
export async function collect(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> {
  const reader = stream.getReader(), parts: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > most) { await reader.cancel().catch(() => undefined); throw new TooLarge(`it unpacks to more than ${most >> 20} MB`) }
    parts.push(value)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) { bytes.set(part, at); at += part.length }
  return bytes
}

export class TooLarge extends Error {}

function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream, most = Infinity): Promise<Uint8Array> {
  return collect(new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, any>), most)
}

/** A link to this page with a description in its fragment, which no server sees. */
export async function link(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'))
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  const code = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  const page = location.href.replace(/[#?].*$/, '')
  return `${page}#d=${code}`
}

/** The largest description that a link may unpack to. */
const MOST = 8 << 20

/** The description or the game of the library that the address names. */
export async function linked(): Promise<{ text?: string; game?: string }> {
  const parts = new URLSearchParams(location.hash.slice(1))
  const code = parts.get('d')
  if (!code) return { game: parts.get('game') ?? undefined }
  const binary = atob(code.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = await through(Uint8Array.from(binary, (c) => c.charCodeAt(0)), new DecompressionStream('deflate-raw'), MOST)
  return { text: new TextDecoder().decode(bytes) }
}
