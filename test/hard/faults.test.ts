// What a machine can do to a run: a full disk, a read-only one, a damaged file, a reused process id, a clock that is
// set. Never a stack, never a lost fact, and once the cause is gone `resume` goes on.
import { spawn, spawnSync } from 'node:child_process'
import { mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { gitIn, makeFolder } from '../support/git.ts'
import { surroundingsOf } from '../support/run.ts'
import { startRun } from '../../src/cli/start-run.ts'
import { resumeRun } from '../../src/cli/resume-run.ts'
import {
  baton,
  journalOf,
  namesIn,
  noTraces,
  program,
  refusalOf,
  scriptBeside,
  smallProject,
  startBaton,
  thenAsk,
  tracesIn,
  works,
} from '../e2e/baton.ts'
import type { Ended } from '../e2e/baton.ts'
import { canMount, withMounts } from '../e2e/small-disk.ts'

const task = 'Write the work'
const journal = '.baton/runs/1.log.jsonl'

/** A run that has come to its question; behind it there is another step. */
async function waiting(rest = thenAsk): Promise<string> {
  const { root, script } = await smallProject(works, rest)
  expect((await baton(root, ['run', task, '--script', script])).code).toBe(3)
  return root
}

/** Two lines on stderr, exit 1, no stack. */
function faultOf({ code, stderr }: Ended): { readonly error: string; readonly next: string } {
  expect({ code, lines: stderr.split('\n').length }, stderr).toEqual({ code: 1, lines: 3 })
  const [error = '', next = ''] = stderr.split('\n')
  expect([error, next]).toEqual([expect.stringMatching(/^error: \S/), expect.stringMatching(/^next: \S/)])
  return { error: error.slice('error: '.length), next: next.slice('next: '.length) }
}

const onSmallDisk = test.skipIf(!canMount)

describe.concurrent('a full disk (tmpfs in a mount namespace)', () => {
  onSmallDisk('under the journal stops the run with its name; with room again resume goes on', async () => {
    const root = await waiting(
      thenAsk.replace('  - { id: deliver', '  - { id: more, agent: worker }\n  - { id: deliver'),
    )
    await baton(root, ['approve', '1'])
    const pages = Math.ceil((await stat(join(root, journal))).size / 4096)
    const ended = await withMounts(
      root,
      `mount -t tmpfs -o size=${pages * 4}k none "$DISK" && cp ${journal} "$DISK/journal"
       mount --bind "$DISK/journal" ${journal}
       baton full resume
       baton shown show
       mount -o remount,size=4m "$DISK"
       baton room resume
       cp ${journal} "$OUT/journal"`,
    )
    const { error, next } = faultOf(await ended('full'))
    expect(error).toMatch(/^The journal \S+1\.log\.jsonl cannot be written: ENOSPC/)
    expect(next).toBe('Make room or make it writable, then: baton resume 1')
    expect((await ended('shown')).stdout).toMatch(/\nNext: baton resume 1\n$/)
    expect((await ended('room')).code).toBe(0)
    expect(await gitIn(root, 'show', 'task/1-work:work.txt')).toBe('done')
  })

  onSmallDisk(
    'under everything, filled by the agent itself, takes neither its work nor the journal',
    async () => {
      const fill = 'test -e ../../full || { touch ../../full; cat /dev/zero >../../ballast; }; true'
      const { root, script } = await smallProject(`roles:
  worker:
    - writes: { work.txt: "done\\n" }
      runs: [[sh, -c, "${fill}"]]
      answer: { status: success }
`)
      const ended = await withMounts(
        root,
        `mount -t tmpfs -o size=12m none "$DISK" && cp -a '${root}' "$DISK/project" && cd "$DISK/project"
       baton full run '${task}' --script '${script}'
       rm ../ballast
       baton room resume
       git -c safe.directory='*' fsck >"$OUT/fsck" 2>&1; echo "fsck $?" >>"$OUT/fsck"
       baton work logs --json
       git -c safe.directory='*' show task/1-work:work.txt >"$OUT/work.out"`,
      )
      expect(faultOf(await ended('full')).error).toMatch(/ENOSPC|No space left/)
      expect(await ended('room')).toMatchObject({ code: 0, stderr: '' })
      expect((await ended('work')).stdout).toBe('done\n')
    },
  )

  onSmallDisk('under TMPDIR is told as such, not as a fault of the repository', async () => {
    const { root, script } = await smallProject(works)
    const ended = await withMounts(
      root,
      `mount -t tmpfs -o size=16k none "$DISK" && head -c 100000 /dev/zero >"$DISK/ballast"
       export TMPDIR="$DISK"
       baton full run '${task}' --script '${script}'
       mount -o remount,size=8m "$DISK"
       baton room run '${task}' --script '${script}'`,
    )
    const { error, next } = faultOf(await ended('full'))
    expect(error).toMatch(/^\S+\/disk cannot hold what git reads and prints: ENOSPC/)
    expect(next).toMatch(/^Put that right, then /)
    expect((await ended('room')).code).toBe(0)
  })

  onSmallDisk('under the settings takes all that was begun of a file away again', async () => {
    const { root } = await smallProject(works)
    const ended = await withMounts(
      root,
      `mount -t tmpfs -o size=16k none .baton
       baton full workflow eject pipeline
       find .baton -type f >"$OUT/left.out"; : >"$OUT/left.err"; echo 0 >"$OUT/left.code"
       head -c 100000 /dev/zero >.baton/ballast
       baton fullest init --yes
       rm .baton/ballast && mount -o remount,size=4m .baton
       baton written init --yes --json
       baton room workflow eject pipeline
       baton valid workflow validate pipeline`,
    )
    expect(faultOf(await ended('full')).error).toMatch(/ENOSPC.*\/\.baton\/\S+/)
    expect((await ended('left')).stdout).toBe('')
    expect(faultOf(await ended('fullest')).error).toMatch(/ENOSPC.*\/\.baton\/config\.yaml/)
    expect(JSON.parse((await ended('written')).stdout)).toMatchObject({ written: true })
    expect((await ended('room')).code).toBe(0)
    expect((await ended('valid')).code).toBe(0)
  })

  onSmallDisk(
    'under a folder that is to be written leaves none, so that the next try finds it free',
    async () => {
      const root = await waiting()
      const ended = await withMounts(
        root,
        `mount -t tmpfs -o size=4m none "$DISK" && head -c 5000000 /dev/zero >"$DISK/ballast"
       baton full restore 1 1 --into "$DISK/back"
       baton demo demo --keep "$DISK/demo"
       baton left runs; ls -A "$DISK" >"$OUT/left.out"
       rm "$DISK/ballast"
       baton room restore 1 1 --into "$DISK/back"
       mount -o remount,ro "$DISK"
       baton readonly restore 1 1 --into "$DISK/again"`,
      )
      for (const name of ['full', 'demo']) faultOf(await ended(name))
      expect((await ended('left')).stdout).toBe('ballast\n')
      expect(await ended('room')).toMatchObject({ code: 0, stderr: '' })
      expect(faultOf(await ended('readonly')).error).toMatch(/^EROFS: read-only file system/)
    },
  )

  onSmallDisk('under git’s objects is told in git’s words; with room again resume goes on', async () => {
    const { root, script } = await smallProject(`roles:
  worker:
    - runs: [[sh, -c, "head -c 1000000 /dev/urandom >work.bin"]]
      answer: { status: success }
`)
    const ended = await withMounts(
      root,
      `cp -a .git/objects "$OUT/objects" && mount -t tmpfs -o size=400k none .git/objects
       cp -a "$OUT/objects/." .git/objects
       baton full run '${task}' --script '${script}'
       mount -o remount,size=8m .git/objects
       baton room resume
       git -c safe.directory='*' fsck >"$OUT/fsck.out" 2>"$OUT/fsck.err"; echo $? >"$OUT/fsck.code"`,
    )
    const { error } = faultOf(await ended('full'))
    expect(error).toMatch(/^git .*No space left on device/)
    expect((await ended('room')).code).toBe(0)
    expect((await ended('fsck')).code).toBe(0)
  })
})

test('a journal at the largest size a file may have (ulimit -f) stops the run (journal.unwritable); without the limit resume goes on', async () => {
  const root = await waiting(
    thenAsk.replace('  - { id: deliver', '  - { id: more, agent: worker }\n  - { id: deliver'),
  )
  await baton(root, ['approve', '1'])
  const blocks = Math.ceil((await stat(join(root, journal))).size / 512) + 1
  const { error, next } = faultOf(await baton(root, ['resume'], { fileBlocks: blocks }))
  expect(error).toMatch(/^The journal \S+1\.log\.jsonl cannot be written: EFBIG/)
  expect(next).toBe('Make room or make it writable, then: baton resume 1')
  expect((await baton(root, ['resume'])).code).toBe(0)
})

describe.concurrent('a read-only disk (bind mount in a mount namespace)', () => {
  onSmallDisk('at the start refuses the run, and nothing is made', async () => {
    const { root, script } = await smallProject(works)
    const ended = await withMounts(
      root,
      `mount --bind .baton .baton && mount -o remount,ro,bind .baton
       baton readonly run '${task}' --script '${script}'`,
    )
    expect(faultOf(await ended('readonly')).error).toMatch(/^EROFS: read-only file system/)
    expect(await tracesIn(root)).toEqual(noTraces)
  })

  onSmallDisk('in the middle: looking still works, resume says what is wrong and goes on later', async () => {
    const root = await waiting()
    const ended = await withMounts(
      root,
      `mount --bind .baton/runs .baton/runs && mount -o remount,ro,bind .baton/runs
       baton approve approve 1; baton resume resume; baton show show; baton runs runs; baton logs logs`,
    )
    for (const verb of ['approve', 'resume'])
      expect(faultOf(await ended(verb)).error).toMatch(/^EROFS: read-only file system/)
    for (const verb of ['show', 'runs', 'logs'])
      expect(await ended(verb)).toMatchObject({ code: 0, stderr: '' })
    await baton(root, ['approve', '1'])
    expect((await baton(root, ['resume'])).code).toBe(0)
  })
})

describe.concurrent('clean', () => {
  onSmallDisk('says what to do where git cannot write, and fails; the run stays as it is', async () => {
    const root = await waiting()
    const ended = await withMounts(
      root,
      `mount --bind .git .git && mount -o remount,bind,ro .git
       baton readonly clean 1
       umount .git
       baton again clean 1`,
    )
    const { code, stdout, stderr } = await ended('readonly')
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(
      /^Run 1 \(waiting\): stays, .*Read-only file system.*\n {2}next: Put that right, then /,
    )
    expect(await ended('again')).toMatchObject({ code: 0, stderr: '' })
  })

  onSmallDisk(
    'of what cannot be removed leaves no half worktree: resume takes nothing for removed',
    async () => {
      const root = await waiting()
      await baton(root, ['approve', '1'])
      const ended = await withMounts(
        root,
        `mkdir ../.worktrees/1-work/data && mount -t tmpfs none ../.worktrees/1-work/data
       baton mounted clean 1
       baton on resume`,
      )
      const { code, stdout, stderr } = await ended('mounted')
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
      expect(stdout).toMatch(/\n {2}left: \S+1-work\S+ \(EBUSY.*\)\n {2}next: rm -r \S+1-work\S+\n$/)
      expect(await ended('on')).toMatchObject({ code: 0 })
      expect(await gitIn(root, 'diff', '--name-status', 'main', 'task/1-work')).toBe('A\twork.txt')
    },
  )

  onSmallDisk('of what could not be removed takes the rest when it is called again', async () => {
    const root = await waiting()
    const ended = await withMounts(
      root,
      `mkdir ../.worktrees/1-work/data && mount -t tmpfs none ../.worktrees/1-work/data
       baton mounted clean 1
       baton still clean 1
       umount ../.worktrees/*/data
       baton again clean 1
       baton after clean 1`,
    )
    expect(await ended('mounted')).toMatchObject({ code: 1 })
    const still = await ended('still')
    expect([still.code, still.stdout]).toEqual([
      1,
      expect.stringMatching(/^Run 1 \(waiting\): stays, .*EBUSY.*\n {2}next: rm -r \S+1-work\S+\.tmp\n$/),
    ])
    const { code, stdout } = await ended('again')
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Run 1 \(waiting\): removed \S+1-work\S+\.tmp; .*\n {2}back: baton restore 1\n/),
    ])
    expect((await ended('after')).stdout).toBe('Nothing to clean.\n')
    expect(await namesIn(join(root, '..'))).not.toContain('.worktrees')
  })
})

describe.concurrent('a journal', () => {
  test('with half a last line is cut there, and the run goes on', async () => {
    const root = await waiting()
    const whole = await readFile(join(root, journal), 'utf8')
    await writeFile(join(root, journal), `${whole}{"ts":"2030-01-0`)
    expect((await baton(root, ['show'])).stdout).toMatch(/^ {2}status {5}waiting$/m)
    await baton(root, ['approve', '1'])
    expect((await baton(root, ['resume'])).code).toBe(0)
    expect((await readFile(join(root, journal), 'utf8')).startsWith(`${whole}{"ts"`)).toBe(true)
    expect((await journalOf(root)).at(-1)?.type).toBe('run.finished')
  })

  test.each([
    ['garbage', 'what is this'],
    ['NUL bytes', '\0'.repeat(300)],
    ['half a line', '{"ts":"2030-01-01T00:00:00.000Z","role":"ENGINE","type":"sa'],
    ['JSON that is no fact', '{"hello":"world"}'],
  ])('with %s in the middle is refused by line, and not touched', async (_, damage) => {
    const root = await waiting()
    const lines = (await readFile(join(root, journal), 'utf8')).split('\n')
    const damaged = lines.with(4, damage).join('\n')
    await writeFile(join(root, journal), damaged)
    for (const verb of ['show', 'resume', 'logs']) {
      const { error, next } = faultOf(await baton(root, [verb]))
      expect(error).toBe(`${join(root, journal)}:5: the journal is damaged here.`)
      expect(next).toContain('head -n 4')
    }
    expect(await readFile(join(root, journal), 'utf8')).toBe(damaged)
  })

  test('of a newer version is refused with what to install, and not touched', async () => {
    const root = await waiting()
    const newer = `${await readFile(join(root, journal), 'utf8')}{"ts":"2031-01-01T00:00:00.000Z","role":"ENGINE","type":"run.dreamed","data":{}}\n{"ts":"20`
    await writeFile(join(root, journal), newer)
    for (const verb of ['resume', 'show', 'cancel']) {
      const { error, next } = refusalOf(await baton(root, [verb]))
      expect(error).toMatch(
        /1\.log\.jsonl:\d+: a fact of a kind that this version does not know \('run\.dreamed'\)/,
      )
      expect(next).toContain('npm install -g')
    }
    expect(await readFile(join(root, journal), 'utf8')).toBe(newer)
  })

  test.each([
    ['nothing at all', ''],
    ['only half a first line', '{"ts":"2030'],
  ])('with %s is that of a run that never was; the next run gets a new number', async (_, content) => {
    const root = await waiting()
    await writeFile(join(root, journal), content)
    expect(refusalOf(await baton(root, ['resume'])).error).toBe('There are no runs in this repository yet.')
    const again = await baton(root, ['run', task, '--script', join(root, '..', 'script.yaml')])
    expect(again.code).toBe(3)
    expect(again.stdout).toMatch(/^Run 2 waits/)
  })
})

describe.concurrent('what was deleted between two processes', () => {
  test('the worktree is made again', async () => {
    const root = await waiting()
    await rm(join(root, '..', '.worktrees', '1-work'), { recursive: true })
    await baton(root, ['approve', '1'])
    expect((await baton(root, ['resume'])).code).toBe(0)
    expect(await readFile(join(root, '..', '.worktrees', '1-work', 'work.txt'), 'utf8')).toBe('done\n')
  })

  test.each([
    ['the folder of the run', '.baton/runs/1'],
    ['the frozen copies', '.baton/runs/1/frozen'],
    ['one of them', '.baton/runs/1/frozen/loaded.json'],
  ])('%s stops the resume with two lines, and can still be looked at', async (_, path) => {
    const root = await waiting()
    await rm(join(root, path), { recursive: true })
    const { error, next } = refusalOf(await baton(root, ['resume']))
    expect(error).toMatch(/frozen\/\S+ is missing since the run was started\.$/)
    expect(next).toContain('baton run')
    expect((await baton(root, ['show'])).code).toBe(0)
  })
})

describe.concurrent('a lock', () => {
  const lockOf = (root: string): string => join(root, '.baton', 'runs', '1', 'lock')

  test('whose process id belongs to another process by now, after a reboot, is taken over and that one lives', async () => {
    const root = await waiting()
    const stranger = spawn('sleep', ['600'])
    const holder = { pid: stranger.pid, startedAt: 'another-boot:pid:[1]:77', host: hostname() }
    await writeFile(lockOf(root), JSON.stringify(holder))
    expect((await baton(root, ['show'])).stdout).toMatch(/^ {2}status {5}waiting$/m)
    await baton(root, ['approve', '1'])
    expect((await baton(root, ['resume'])).code).toBe(0)
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull()
    stranger.kill('SIGKILL')
  })

  test('of another machine is respected, and the next line says how to take it away', async () => {
    const root = await waiting()
    await writeFile(lockOf(root), JSON.stringify({ pid: 7, startedAt: 'then', host: 'elsewhere' }))
    const { error, next } = refusalOf(await baton(root, ['resume']))
    expect(error).toBe('Run 1 is being run by process 7 on elsewhere already.')
    expect(next).toBe(`Look there. If elsewhere runs it no more: rm ${lockOf(root)}; baton resume 1`)
    await rm(lockOf(root))
    expect((await baton(root, ['resume'])).code).toBe(3)
  })

  test('of a run that was killed right after its last fact is cleared away', async () => {
    const { root, script } = await smallProject(works)
    await baton(root, ['run', task, '--script', script])
    await writeFile(lockOf(root), JSON.stringify({ pid: 1, startedAt: 'then', host: hostname() }))
    expect(refusalOf(await baton(root, ['resume'])).error).toMatch(/^Run 1 has ended \(delivered\)/)
    await expect(stat(lockOf(root))).rejects.toThrow('ENOENT')
  })
})

describe.concurrent('a clock that is set while a run works', () => {
  test.each([
    ['forwards', 3],
    ['backwards', -3],
  ])('%s by days at every look uses up no time limit, and the journal is readable', async (_, days) => {
    const { root } = await smallProject(works, thenAsk)
    const script = await scriptBeside(root, works)
    let looks = 0
    const clock = { ...systemClock, now: () => new Date(Date.now() + days * ++looks * 86_400_000) }
    const surroundings = { ...surroundingsOf({ repository: root }), clock }
    const flags = { provider: 'scripted', time_limit: '1h' }
    const first = await startRun(surroundings, { task, inputs: {}, script, flags })
    expect(first.end.exitCode).toBe(3)
    await baton(root, ['approve', '1'])
    expect((await resumeRun(surroundings, {})).end.exitCode).toBe(0)
    expect(looks).toBeGreaterThan(30)
    expect((await baton(root, ['show'])).stdout).toMatch(/^ {2}status {5}delivered$/m)
    expect((await baton(root, ['logs'])).code).toBe(0)
  })
})

test('a run that was killed is not resumed twice at the same time: one goes on, the other is refused or finds it done', async () => {
  const root = await waiting()
  await baton(root, ['approve', '1'])
  const both = await Promise.all([startBaton(root, ['resume', '1']), startBaton(root, ['resume', '1'])])
  const codes = await Promise.all(both.map(async ({ ended }) => (await ended).code))
  const [first, second] = codes.toSorted((a, b) => a - b)
  expect(first).toBe(0)
  // Who comes when the other has finished already has nothing to do and nothing to complain about.
  expect([0, 2]).toContain(second)
  const lines = await journalOf(root)
  for (const once of ['run.resumed', 'run.finished'])
    expect(lines.filter(({ type }) => type === once)).toHaveLength(1)
})

test('links that lead in a circle and names that are too long are said so, and not as a bug', async () => {
  const { root, script } = await smallProject(works)
  await symlink('circle', join(root, 'circle'))
  for (const [path, code] of [
    ['circle', 'ELOOP'],
    ['x'.repeat(300), 'ENAMETOOLONG'],
  ]) {
    await writeFile(join(root, '.baton/config.yaml'), `workflow: small\nworktree: { copy: ["${path}"] }\n`)
    expect(faultOf(await baton(root, ['run', task, '--script', script])).error).toMatch(
      new RegExp(`^${code}`),
    )
  }
})

test.each(['runs', 'doctor', 'bugfix'])(
  '%s in a folder that is gone says so, and not as a bug',
  async (word) => {
    const folder = await makeFolder()
    const gone = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"'
    const { status, stdout, stderr } = spawnSync(
      'sh',
      ['-c', gone, process.execPath, program, word, '--json'],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    )
    const { error, next } = faultOf({ code: status ?? 0, stdout, stderr })
    expect(error).toBe('The folder that you are in does not exist any more.')
    expect(next).toMatch(/^cd /)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'system.refused' } })
  },
)

test('a folder where a report is to be written is said so, and not as a bug', async () => {
  const root = await waiting()
  await mkdir(join(root, 'report.html'))
  expect(faultOf(await baton(root, ['report', '--output', 'report.html'])).error).toMatch(/^EISDIR: /)
})

test.each(['/proc/report.html', '/proc/new/folder/report.html', `new/folder/${'x'.repeat(300)}.html`])(
  'a report that cannot be written to %s names that place, and leaves no folder behind',
  async (file) => {
    const root = await waiting()
    const { error, next } = faultOf(await baton(root, ['report', '--output', file]))
    expect(error).toMatch(/^(ENOENT|ENAMETOOLONG): /)
    expect(error).toContain(`the report cannot be written to ${resolve(root, file)}`)
    expect(next).toContain('baton report 1 --output report.html')
    expect(await namesIn(join(root, 'new'))).toEqual([])
    expect((await tracesIn(root)).status).toEqual([])
  },
)

test('a report is written with the folders on the way to it', async () => {
  const root = await waiting()
  const { code, stdout } = await baton(root, ['report', '--output', 'new/folder/report.md'])
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `Report of run 1: ${join(root, 'new/folder/report.md')}\n`,
  })
})

test('a run that comes to nothing before its journal tells of the branch leaves neither that nor a worktree', async () => {
  const { root, script } = await smallProject(works)
  const lock = join(root, '.git/refs/baton/1/target.lock')
  await mkdir(dirname(lock), { recursive: true })
  // Git waits for whoever seems to write that ref.
  await writeFile(lock, '')
  expect(faultOf(await baton(root, ['run', task, '--script', script])).error).toContain('target.lock')
  await rm(lock)
  expect(await tracesIn(root)).toEqual(noTraces)
})
