import { complexityNamed } from '../model/model-choice.ts'
import type { Settings, SettingsFile } from '../model/settings.ts'
import { defined } from './records.ts'

/** Which models play, what they may use, and what it costs. */
export type ModelSettings = Pick<
  Settings,
  'model' | 'modelFrom' | 'complexity' | 'models' | 'prices' | 'maxCost' | 'maxTokens'
>

export function modelSettings(
  values: Record<string, unknown>,
  modelLayer: string | undefined,
): ModelSettings {
  const file = values as Pick<SettingsFile, 'model' | 'complexity' | 'max_cost' | 'max_tokens'>
  return {
    ...defined({
      model: file.model,
      modelFrom: sourceOf(modelLayer),
      complexity: complexityNamed(file.complexity),
    }),
    ...defined({ maxCost: limitOf(file.max_cost), maxTokens: limitOf(file.max_tokens) }),
    models: entriesOf(values, 'models') as Settings['models'],
    prices: entriesOf(values, 'prices') as Settings['prices'],
  }
}

function sourceOf(layer: string | undefined): Settings['modelFrom'] {
  if (layer === undefined || layer === 'flag') return layer
  return layer === 'env' ? 'environment' : 'settings'
}

function limitOf(value: number | 'none' | undefined): number | undefined {
  return value === 'none' ? undefined : value
}

/** The keys of a section, which are set one by one: `checks.tests` and `checks.lint` of `checks`. */
export function entriesOf(values: Record<string, unknown>, section: string): Record<string, unknown> {
  const named = Object.entries(values).filter(([key]) => key.startsWith(`${section}.`))
  return Object.fromEntries(named.map(([key, value]) => [key.slice(section.length + 1), value]))
}
