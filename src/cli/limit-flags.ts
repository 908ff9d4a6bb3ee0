import { FailureError } from '../model/failure.ts'

export interface LimitFlags {
  readonly max_cost?: number | 'none'
  readonly max_tokens?: number | 'none'
}

/** `--max-cost` and `--max-tokens`, which are numbers, or `none` to lift a limit that the run was started with. */
export function limitFlags(flags: { readonly maxCost?: string; readonly maxTokens?: string }): LimitFlags {
  const { maxCost, maxTokens } = flags
  return {
    ...(maxCost === undefined ? {} : { max_cost: limitOf(maxCost, '--max-cost 2.50') }),
    ...(maxTokens === undefined ? {} : { max_tokens: limitOf(maxTokens, '--max-tokens 400000') }),
  }
}

function limitOf(text: string, example: string): number | 'none' {
  if (text === 'none') return text
  const isWhole = example.includes('tokens')
  if ((isWhole ? /^\d+$/ : /^\d+(\.\d+)?$/).test(text) && Number(text) > 0) return Number(text)
  throw new FailureError({
    code: 'limit.form',
    message: `'${text}' is no limit: ${isWhole ? 'a whole number of tokens above 0' : 'US dollars above 0'}, or none.`,
    next: `For example: ${example}`,
  })
}
