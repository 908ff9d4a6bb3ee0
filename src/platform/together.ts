/** As `Promise.all`, but whoever hears of a failure can be sure that nothing of it is still at work. */
export async function together<T extends readonly Promise<unknown>[] | []>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work)
  return Promise.all(work)
}
