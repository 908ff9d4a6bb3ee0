import * as z from 'zod'
import { wordList } from './word-list.ts'

/** Any other tool, described in the settings under `providers.<name>`. */
export const commandProviderSchema = z.strictObject({
  /** `{prompt_file}`, `{prompt}`, `{model}`, `{worktree}`, `{home}` and `{system_file}` are filled in. */
  command: wordList,
  prompt: z.enum(['stdin', 'argument', 'file']).optional(),
  output: z.enum(['text', 'jsonl']).optional(),
  /** With jsonl: where in a line the agent's words are, such as `message.text`. */
  text: z.string().optional(),
  /** Variables of the user's that are handed over: keys, addresses. */
  env: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable name such as MY_TOOL_KEY'))
    .optional(),
  stop: z.enum(['SIGTERM', 'SIGINT']).optional(),
})

export type CommandProvider = z.infer<typeof commandProviderSchema>
