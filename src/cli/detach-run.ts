import { randomBytes } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasBranch } from '../journal/has-branch.ts'
import { listRunIds, runFolder } from '../journal/run-folder.ts'
import { FailureError } from '../model/failure.ts'
import { ensureDirectory, readTextIfPresent } from '../platform/files.ts'
import { readHolder } from '../platform/lock.ts'
import { startDetached } from '../platform/start-detached.ts'
import type { Json } from '../model/json.ts'
import type { Command } from './command.ts'
import type { Output } from './output.ts'
import { openProject } from './project.ts'

const flag = '--detach'

/**
 * The same command once more, in a process of its own that nobody waits for: returns when its run has begun, which is when the
 * run's lock is that process's and there is a branch. A refusal is told here as it would be without the flag.
 */
export async function detachRun({ surroundings, output }: Command): Promise<number> {
  const { cwd, env } = surroundings
  const { runsDir } = await openProject(cwd, env)
  await ensureDirectory(runsDir)
  const file = join(runsDir, `detached-${randomBytes(6).toString('hex')}.log`)
  const [node, program = '', ...words] = process.argv
  const argv = [node ?? process.execPath, program, ...words.filter((word) => word !== flag)] as const
  const started = await startDetached(argv, { cwd, env, output: file })
  let exitCode: number | undefined
  void started.ended.then((code) => (exitCode = code))
  for (;;) {
    const run = await runOf(runsDir, started.pid)
    if (run !== undefined && (await hasBranch(runFolder(runsDir, run)))) {
      started.leave()
      const kept = await keepWithRun(file, runFolder(runsDir, run).dir)
      const text = [
        `Run ${run} goes on by itself (process ${started.pid}).`,
        `  baton logs ${run} --follow`,
        `  baton cancel ${run}`,
      ]
      output.result(text.join('\n'), { run, pid: started.pid, output: kept })
      return 0
    }
    if (exitCode !== undefined) break
    await sleep(50)
  }
  // It was refused, or so quick that its lock was never seen.
  const said = (await readTextIfPresent(file)) ?? ''
  await rm(file, { force: true })
  passOn(said, output)
  return exitCode
}

/** To where it would have gone without the flag: both of its streams went into one file. */
function passOn(said: string, output: Output): void {
  if (output.json) {
    const [document] = /^\{\n[^]*?^\}\n/m.exec(said) ?? []
    output.complaint(said.replace(document ?? '', () => ''))
    if (document !== undefined) output.result('', JSON.parse(document) as Json)
    return
  }
  const at = said.search(/^error: /m)
  output.result(at < 0 ? said : said.slice(0, at), null)
  output.complaint(at < 0 ? '' : said.slice(at))
}

/** The process has no standard input: what is typed there is typed here, and we do not stay. */
export function refuseDetachedInput(task: string | undefined): void {
  if (task !== '-') return
  throw new FailureError({
    code: 'usage.invalid',
    message: 'A detached run cannot read its task from standard input.',
    next: 'baton run --detach --file task.md',
  })
}

/** Under a number of its own: a run may be resumed like that more than once. The process goes on writing to it. */
async function keepWithRun(file: string, dir: string): Promise<string> {
  const before = (await readdir(dir)).filter((name) => /^detached-\d+\.log$/.test(name)).length
  const kept = join(dir, `detached-${before + 1}.log`)
  await rename(file, kept)
  return kept
}

async function runOf(runsDir: string, pid: number): Promise<string | undefined> {
  for (const id of (await listRunIds(runsDir)).toReversed())
    if ((await readHolder(runFolder(runsDir, id).lock))?.pid === pid) return id
  return undefined
}
