// Elements in one call.
type Child = Node | string | null | undefined | false

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, unknown> = {}, ...children: (Child | Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith('on') && typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener)
    else if (name === 'value') (element as unknown as HTMLInputElement).value = String(value)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children.flat().filter((child): child is Node | string => child !== null && child !== undefined && child !== false))
  return element
}

export const $ = <T extends Element = HTMLElement>(selector: string): T => document.querySelector<T>(selector)!

export function replace(parent: Element, ...children: (Child | Child[])[]) {
  parent.replaceChildren(...children.flat().filter((child): child is Node | string => child !== null && child !== undefined && child !== false))
}

/** A number as people read it. */
export function figure(number: number): string {
  if (!isFinite(number)) return '–'
  if (number >= 1e9) return `${(number / 1e9).toPrecision(3)} G`
  if (number >= 1e6) return `${(number / 1e6).toPrecision(3)} M`
  if (number >= 1e4) return `${(number / 1e3).toPrecision(3)} k`
  return number.toLocaleString('en', { maximumFractionDigits: 1 })
}

/** Tells people who listen to the page. */
export function announce(text: string) { $('#status').textContent = text }
