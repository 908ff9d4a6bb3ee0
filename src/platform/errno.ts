/** The system's name of an error (`ENOENT`), or undefined for an error that did not come from the system. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Of a write to an open file the system's own words name none, and who has to make room must know where. */
export function withPath(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || errorCode(error) === undefined || 'path' in error) return error
  return Object.assign(error, { path, message: `${error.message} '${path}'` })
}

export async function unlessMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
