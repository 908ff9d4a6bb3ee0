import type { Json } from '../model/json.ts'
import type { AnswerForm } from './script-schema.ts'

/** A scripted answer in the form that the script wants it in. */
export function render(answer: Json, form: AnswerForm): string {
  const json = JSON.stringify(answer, null, 2)
  switch (form) {
    case 'fenced':
      return fence(json)
    case 'bare':
      return `${json}\n`
    case 'prose':
      return `I have thought it over, and this is what I came to.\n\n${json}\n\nLet me know if you need more.\n`
    case 'single_quotes':
      return fence(singleQuoted(answer))
    case 'broken':
      return fence(half(json))
    case 'twice':
      return fence(json).repeat(2)
    case 'none':
      return ''
  }
}

function fence(text: string): string {
  return `\`\`\`json\n${text}\n\`\`\`\n`
}

export function half(text: string): string {
  return text.slice(0, Math.floor(text.length / 2))
}

/** As Python prints it, and some models too. */
function singleQuoted(value: Json): string {
  if (typeof value === 'string') {
    const inner = JSON.stringify(value).slice(1, -1)
    return `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((part: Json) => singleQuoted(part)).join(', ')}]`
  const pairs = Object.entries(value).map(([key, part]) => `${singleQuoted(key)}: ${singleQuoted(part)}`)
  return `{ ${pairs.join(', ')} }`
}
