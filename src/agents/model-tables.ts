import type { ModelTable } from '../model/model-choice.ts'

/**
 * Which of a tool's models for how much complexity, where neither a person nor a role names one (R002-14, R002-15).
 * The tools' own short names, which stay while model numbers come and go. A tool without a table chooses itself.
 */
const tables: Readonly<Record<string, ModelTable>> = {
  gemini: { low: 'flash', medium: 'pro', high: 'pro', critical: 'pro' },
  claude: { low: 'sonnet', medium: 'sonnet', high: 'opus', critical: 'opus' },
}

/** The built-in table, level by level overruled by the settings. */
export function modelTable(provider: string, settings: Readonly<Record<string, ModelTable>>): ModelTable {
  return { ...tables[provider], ...settings[provider] }
}
