/**
 * Text that somebody outside wrote: an issue, a comment, a log. It is data for agents. What a reader of the page would
 * not have seen is taken out, so that nobody is told what nobody else can read.
 */
export function readableText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replaceAll(controlSequence, '')
    .replaceAll(invisible, '')
    .replaceAll(/\n{4,}/g, '\n\n\n')
    .trim()
}

/** What a terminal would obey is shown as a mark; everything else stays as it is. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, (character) => (character === '\r' ? '' : '\uFFFD'))
}

/** The whole of an escape sequence, not only its first character. */
const controlSequence =
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  /(?:\u001B\]|\u009D)[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[ -~]?/g

/** Controls, zero-width and direction marks, and the tag characters that spell words nobody sees. */
const invisible =
  /[^\P{Cc}\n\t]|[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]|[\u{E0000}-\u{E007F}]/gu
