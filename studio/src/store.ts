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

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const done = new Response(new Blob([bytes as BlobPart]).stream().pipeThrough(stream))
  return new Uint8Array(await done.arrayBuffer())
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
  const bytes = await through(Uint8Array.from(binary, (c) => c.charCodeAt(0)), new DecompressionStream('deflate-raw'))
  if (bytes.length > MOST) throw new Error('the description in the link is too large')
  return { text: new TextDecoder().decode(bytes) }
}
