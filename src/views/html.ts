/** A piece of a page whose text has been made harmless. */
export interface Html {
  readonly html: string
}

type Part = string | number | Html | readonly Part[]

/** markup`<b>${text}</b>`: whatever is put in is text and not markup, unless it was made by this function. */
export function markup(pieces: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: pieces.map((piece, at) => piece + harmless(parts[at] ?? '')).join('') }
}

/** For our own style sheet and script alone, never for what an agent or a person wrote. */
export function asItIs(text: string): Html {
  return { html: text }
}

function harmless(part: Part): string {
  if (typeof part === 'string') return escaped(part)
  if (typeof part === 'number') return String(part)
  return 'html' in part ? part.html : part.map(harmless).join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Control characters become their pictures, so that nobody is shown less, or in another order, than there is. */
function escaped(text: string): string {
  return (
    text
      .replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
      // oxlint-disable-next-line no-control-regex -- these are the characters it is about
      .replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F]/g, pictureOf)
      .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '\u{FFFD}')
  )
}

function pictureOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return String.fromCodePoint(code === 0x7f ? 0x24_21 : 0x24_00 + code)
}
