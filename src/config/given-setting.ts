/** One setting as somebody gave it. */
export interface GivenSetting {
  /** Dotted key of the file. */
  readonly key: string
  readonly value: unknown
  readonly source: SettingSource
}

export interface SettingSource {
  readonly layer: 'default' | 'user' | 'project' | 'env' | 'flag'
  /** `file:line`, the variable's name, the flag; empty for a default. */
  readonly where: string
}
