// The library: the descriptions of the repository's folder `games`, with what their headers say.
const files = import.meta.glob('../../games/*.kif', { query: '?raw', import: 'default', eager: true }) as Record<string, string>

export interface LibraryGame { id: string; name: string; players: string; kind: string; about: string; text: string }

export const library: LibraryGame[] = Object.entries(files).map(([path, text]) => {
  const header = (key: string) => new RegExp(`^;;;\\s*${key}:\\s*(.*)$`, 'm').exec(text)?.[1]?.trim() ?? ''
  const id = path.replace(/^.*\/(.*)\.kif$/, '$1')
  return { id, name: header('name') || id, players: header('players'), kind: header('kind'), about: header('about'), text }
})
