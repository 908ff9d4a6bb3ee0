import { fileURLToPath } from 'node:url'

/** A file that comes with the program. From `src/` and from `dist/`, bundled or not, the root is two folders up. */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}
