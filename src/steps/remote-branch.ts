import type { Base } from '../git/repository.ts'

/** The base as the remote knows it: `refs/remotes/origin/main` is `main` there. */
export function remoteBranch(
  { ref, name }: Pick<Base, 'name'> & { readonly ref?: string | undefined },
  remote: string,
): string {
  const prefix = [`refs/remotes/${remote}/`, 'refs/heads/'].find((one) => ref?.startsWith(one))
  return prefix === undefined || ref === undefined ? name : ref.slice(prefix.length)
}
