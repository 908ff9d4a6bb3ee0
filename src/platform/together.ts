/** As `Promise.all`, but whoever hears of a failure can be sure that nothing of it is still at work. */
export async function together<T extends readonly unknown[]>(
  work: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  await Promise.allSettled(work)
  return (await Promise.all(work)) as unknown as T
}
