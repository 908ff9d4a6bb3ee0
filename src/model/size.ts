const units: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 }

/** `500`, `200kB`, `1.5GB`, also without the B. Undefined when it is no size. */
export function parseSize(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmg]?)b?$/i.exec(text.trim()) ?? []
  if (amount === undefined) return undefined
  return Math.round(Number(amount) * (units[unit.toLowerCase()] ?? 1))
}
