/** The system's name of an error (`ENOENT`), or undefined for an error that did not come from the system. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

export async function unlessMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
