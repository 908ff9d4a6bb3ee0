import { lstat, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { requireFreeFolder, writeSnapshot } from '../../git/write-snapshot.ts'
import { keptBeside } from '../../journal/kept-files.ts'
import { readState } from '../../journal/read-state.ts'
import { findRun } from '../../journal/run-folder.ts'
import type { RunFolder } from '../../journal/run-folder.ts'
import { exitCodes, FailureError } from '../../model/failure.ts'
import { unpackFiles } from '../../platform/archive.ts'
import { unlessMissing } from '../../platform/errno.ts'
import { ensureDirectory } from '../../platform/files.ts'
import { snapshotTable } from '../../views/snapshot-table.ts'
import type { Command } from '../command.ts'
import { openProject } from '../project.ts'
import type { Project } from '../project.ts'
import { snapshotDocument, snapshotsOf } from '../run-snapshots.ts'
import type { RunSnapshot } from '../run-snapshots.ts'

export interface Restore {
  readonly run: string
  /** The number of a snapshot; without one they are listed. */
  readonly snapshot: string | undefined
  readonly into: string | undefined
}

export async function restore(command: Command, asked: Restore): Promise<number> {
  const { surroundings, output } = command
  const project = await openProject(surroundings.cwd, surroundings.env)
  const folder = await findRun(project.runsDir, asked.run)
  const { branch } = await readState(folder)
  const snapshots = await snapshotsOf(project.repo, folder, branch)
  if (asked.snapshot === undefined) {
    output.result(listText(folder.id, snapshots), snapshots.map(snapshotDocument))
    return 0
  }
  const wanted = snapshots.find(({ number }) => String(number) === asked.snapshot)
  if (!wanted) throw unknownSnapshot(folder.id, asked.snapshot, snapshots)
  if (asked.into === undefined) throw nowhereToGo(folder.id, asked.snapshot)
  const into = resolve(surroundings.cwd, asked.into)
  const written = await write(project, { folder, wanted, into })
  const beside = written.beside.map((what) => `\n  ${what}`).join('')
  const text = `Wrote ${written.files} files of snapshot ${wanted.number} (${wanted.subject}) into ${into}${beside}`
  output.result(text, { run: folder.id, ...object(wanted), into, ...written })
  return 0
}

interface Writing {
  readonly folder: RunFolder
  readonly wanted: RunSnapshot
  readonly into: string
}

interface Written {
  readonly files: number
  readonly beside: readonly string[]
}

/** All of it, or nothing: what was begun is taken away again. */
async function write({ repo }: Project, { folder, wanted, into }: Writing): Promise<Written> {
  await requireFreeFolder(into, `baton restore ${folder.id} ${wanted.number} --into ../restored-${folder.id}`)
  const wasThere = (await unlessMissing(lstat(into))) !== undefined
  try {
    const { commit } = wanted
    const files = await writeSnapshot(repo, { commit, into, scratch: folder.dir })
    return { files, beside: await unpackBeside(folder, wanted.number, into) }
  } catch (error) {
    if (!wasThere) await rm(into, { recursive: true, force: true })
    throw error
  }
}

async function unpackBeside(folder: RunFolder, snapshot: number, into: string): Promise<string[]> {
  const { files, modules } = keptBeside(folder, snapshot)
  const places = [
    { archive: files, to: into, what: 'and what git does not keep' },
    {
      archive: modules,
      to: join(into, submodulesFolder),
      what: `and git directories of submodules, in ${submodulesFolder}/`,
    },
  ]
  const done: string[] = []
  for (const { archive, to, what } of places) {
    if ((await unlessMissing(lstat(archive))) === undefined) continue
    await ensureDirectory(to)
    const complaint = await unpackFiles(archive, to)
    if (complaint !== undefined) throw unreadable(archive, complaint)
    done.push(`${what}, from ${archive}`)
  }
  return done
}

const submodulesFolder = '.baton-submodules'

function listText(run: string, snapshots: readonly RunSnapshot[]): string {
  if (snapshots.length === 0) return `Run ${run} has no snapshots.`
  return [
    snapshotTable(snapshots),
    'FILES: how many are not as on the task branch.',
    `Get one back: baton restore ${run} <n> --into <dir>`,
  ].join('\n')
}

function object(snapshot: RunSnapshot): {
  readonly snapshot: number
  readonly ref: string
  readonly commit: string
} {
  return { snapshot: snapshot.number, ref: snapshot.ref, commit: snapshot.commit }
}

function unknownSnapshot(run: string, asked: string, known: readonly RunSnapshot[]): FailureError {
  const last = known.at(-1)
  return new FailureError({
    code: 'restore.missing',
    message: `Run ${run} has no snapshot '${asked}'.`,
    next: `baton restore ${run}${last === undefined ? '' : `   (they go up to ${last.number})`}`,
  })
}

function nowhereToGo(run: string, snapshot: string): FailureError {
  return new FailureError({
    code: 'restore.nowhere',
    message: 'A snapshot is written into a folder of its own; none was named.',
    next: `baton restore ${run} ${snapshot} --into ../restored-${run}`,
  })
}

function unreadable(archive: string, complaint: string): FailureError {
  return new FailureError({
    code: 'restore.archive',
    message: `${archive} cannot be unpacked: ${complaint}`,
    next: `tar -t -f ${archive}`,
    exitCode: exitCodes.failed,
  })
}
