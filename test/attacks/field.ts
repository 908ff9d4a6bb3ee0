// Where the attacks take place: a repository with two tasks, a home, a process and services of somebody else. Everything
// lies in temporary folders and is put back before each attack.
import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openPrivateDir } from '../../src/git/private-dir.ts'
import type { PrivateDir } from '../../src/git/private-dir.ts'
import { discoverRepository } from '../../src/git/repository.ts'
import { openTaskWorkspace } from '../../src/git/task-workspace.ts'
import { keyFilter } from '../../src/sandbox/key-filter.ts'
import type { TaskWorkspace } from '../../src/git/task-workspace.ts'
import { runFolder } from '../../src/journal/run-folder.ts'
import { captureCommand } from '../../src/platform/capture.ts'
import { gitEnvironment, gitIn, testPerson } from '../support/git.ts'

const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** What a tool runs before every tool call, in the home of the call. */
export const hookScript = 'hook-ask.sh'

export interface Field {
  readonly task: TaskWorkspace
  readonly own: PrivateDir
  readonly start: string
  readonly out: string
  /** Of a script, but for HOME and secrets. */
  readonly env: Readonly<Record<string, string>>
  readonly person: string
  readonly callDir: string
  readonly homes: string
  readonly runsDir: string
  readonly uid: number
  /** A copy that the user can read. */
  readonly keyFilter: string
  /** As it was made: all of it, or, where nothing outside was changed, what an attack may write. */
  reset(): Promise<void>
  /** Of everything that is nobody's here to change, but for what is named. */
  digest(but?: readonly string[]): string
  close(): Promise<void>
}

/** Owned by this user. */
export async function makeField(uid: number): Promise<Field> {
  const root = folder('baton-attack-')
  const out = folder('baton-beside-')
  const kept = folder('baton-kept-')
  const at = (name: string): string => join(root, name)
  const main = at('main')
  const runsDir = join(main, '.baton/runs')
  const folderOfRun = runFolder(runsDir, '1')
  await furnish(root, out)
  const repo = await discoverRepository(main, gitEnvironment)
  const start = await gitIn(main, 'rev-parse', 'HEAD')
  const spec = {
    run: '1',
    branch: 'task/1',
    worktree: at('trees/T1'),
    start,
    stateDir: folderOfRun.git,
    excludes: [],
  }
  const task = await openTaskWorkspace(repo, spec)
  const own = await openPrivateDir(task, { name: 'x', tip: start, identity: testPerson })
  const callDir = join(folderOfRun.steps, 'x/call-1')
  const homes = join(folderOfRun.dir, 'homes')
  put(join(callDir, 'prompt.md'), 'do it')
  for (const dir of [join(callDir, 'home'), join(homes, 'h')]) mkdirSync(dir, { recursive: true })
  // Where nothing protects it, the home is the person's.
  for (const home of [join(callDir, 'home'), at('person')]) put(join(home, hookScript), '#!/bin/sh\nexit 2\n')
  if (uid !== process.getuid?.()) await sh(`chown -R ${uid}:${uid} ${root} ${out}`)
  await sh(`cp -a ${root}/. ${kept}/`)
  const services = await openServices(out)
  const env = {
    ...{
      PATH: searchPath,
      LC_ALL: 'C',
      MAIN: main,
      WT: at('trees/T1'),
      OTHER: at('trees/T2'),
      PERSON: at('person'),
      OUT: out,
    },
    ...services.env,
  }
  let made = ''
  const free = new Set([own.path, callDir, homes, task.worktree])
  // The engine's own directory changes too, whenever it looks.
  const worked = new Set([...free, task.engineDir])
  return {
    ...{
      uid,
      keyFilter: at('keys.bpf'),
      task,
      own,
      start,
      out,
      env,
      person: at('person'),
      callDir,
      homes,
      runsDir,
    },
    async reset() {
      const intact = made !== '' && digestOf([root, out], worked) === made
      const places = intact ? [...worked].map((path) => path.slice(root.length + 1)) : ['.']
      const again = places.map(
        (place) =>
          `rm -rf ${root}/${place}/* ${root}/${place}/.[!.]* && cp -a ${kept}/${place}/. ${root}/${place}/`,
      )
      await sh(
        `rm -f ${out}/p* && ${again.join(' && ')}${intact ? '' : ` && rm -rf ${out}/* && echo kept >${out}/file && touch -d 2020-01-01 ${out}/file && chown ${uid} ${out}/file`}`,
      )
      made ||= digestOf([root, out], worked)
    },
    digest: (but = []) => digestOf([root, out], new Set([...free, ...but])),
    async close() {
      services.close()
      for (const dir of [root, out, kept]) rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

async function furnish(root: string, out: string): Promise<void> {
  const main = join(root, 'main')
  const evil = `#!/bin/sh\necho pwned >>${out}/pwned\n`
  put(join(main, 'README.md'), 'hello\n')
  put(join(main, 'src/a.txt'), 'a\n')
  put(join(main, 'docs/d.txt'), 'd\n')
  put(join(main, 'evil.sh'), evil)
  chmodSync(join(main, 'evil.sh'), 0o755)
  await gitIn(main, 'init', '-q', '-b', 'main')
  await gitIn(main, 'config', 'user.name', testPerson.name)
  await gitIn(main, 'config', 'user.email', testPerson.email)
  await gitIn(main, 'config', 'remote.origin.url', 'https://me:SECRET-CONFIG@example.invalid/x.git')
  await gitIn(main, 'add', '-A')
  await gitIn(main, 'commit', '-qm', 'first')
  await gitIn(main, 'branch', 'other')
  await gitIn(main, 'tag', 'v1')
  await gitIn(main, 'worktree', 'add', '-q', join(root, 'trees/T2'), '-b', 'task/2')
  put(join(root, 'trees/T2/uncommitted'), 'SECRET-TREE')
  put(join(main, '.env'), 'SECRET-FILE')
  put(join(main, '.git/modules/libs/sub/HEAD'), 'ref: refs/heads/main\n')
  put(
    join(main, '.git/modules/libs/sub/config'),
    '[remote "origin"]\n\turl = https://me:SECRET-MODULE@example.invalid/x\n',
  )
  put(join(main, '.baton/config.yaml'), 'workflow: pipeline\n')
  put(join(main, '.baton/runs/1.log.jsonl'), '{"x":"SECRET-JOURNAL"}\n')
  put(join(main, '.baton/runs/1/frozen.txt'), 'frozen')
  for (const name of [
    '.ssh/id',
    '.npmrc',
    '.netrc',
    '.config/tool/auth.json',
    '.bashrc',
    '.gitconfig',
    '.ssh/authorized_keys',
  ])
    put(join(root, 'person', name), name === '.gitconfig' ? '' : `SECRET-HOME ${name}`)
  writeFileSync(join(root, 'keys.bpf'), keyFilter(process.arch))
  put(join(root, 'secret.txt'), 'SECRET-TMP')
  put(join(out, 'file'), 'kept\n')
}

interface Services {
  readonly env: Readonly<Record<string, string>>
  close(): void
}

/** A server on a port, one on a socket, one on an abstract socket, and a process with secrets. */
async function openServices(out: string): Promise<Services> {
  const dir = folder('baton-services-')
  const sock = join(dir, 's')
  const web = createServer((socket) => {
    socket.on('error', () => {})
    socket.end('HTTP/1.0 200 OK\r\n\r\nSECRET-NET')
  })
  const local = createServer((socket) => void socket.on('error', () => {}).end('SECRET-SOCKET'))
  const port = await listen(web, 0)
  await listen(local, sock)
  chmodSync(dir, 0o755)
  chmodSync(sock, 0o777)
  const input = join(dir, 'input')
  writeFileSync(input, 'SECRET-INPUT')
  const shared = `/dev/shm/baton-attack-${process.pid}`
  writeFileSync(shared, '')
  const decoy = await startDecoy(sock, { out, input })
  return {
    env: { PORT: String(port), SOCK: sock, DECOY: String(decoy.pid) },
    close() {
      for (const server of [web, local]) server.close()
      decoy.kill('SIGKILL')
      rmSync(shared, { force: true })
      rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

async function startDecoy(
  sock: string,
  { out, input }: { readonly out: string; readonly input: string },
): Promise<ChildProcess> {
  const program = `
import os, socket, sys
sys.stdout.write('up'); sys.stdout.flush()
s = socket.socket(socket.AF_UNIX); s.bind(chr(0) + os.environ['SOCK']); s.listen(9)
while True:
    c, _ = s.accept(); c.send(b'SECRET-ABSTRACT'); c.close()
`
  const stdin = (await import('node:fs')).openSync(input, 'r')
  const child = spawn('python3', ['-c', program, 'decoy', 'SECRET-WORDS'], {
    cwd: out,
    env: { PATH: searchPath, SOCK: sock, KEY: 'SECRET-PROCESS' },
    stdio: [stdin, 'pipe', 'ignore'],
  })
  await new Promise((up) => child.stdout?.once('data', up))
  return child
}

async function listen(server: Server, where: string | number): Promise<number> {
  await new Promise<void>((done) =>
    typeof where === 'string' ? server.listen(where, done) : server.listen(where, '::', done),
  )
  const address = server.address()
  return address !== null && typeof address === 'object' ? address.port : 0
}

function folder(name: string): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), name)))
  chmodSync(dir, 0o755)
  return dir
}

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

export async function sh(script: string): Promise<void> {
  const { code, stderr } = await captureCommand(['/bin/sh', '-c', script], { env: { PATH: searchPath } })
  if (code !== 0) throw new Error(stderr)
}

/** Names, modes, contents and, for what an attack may only touch, times. */
function digestOf(roots: readonly string[], free: ReadonlySet<string>): string {
  const hash = createHash('sha256')
  const look = (file: string): void => {
    if (free.has(file)) return
    const entry = lstatSync(file)
    hash.update(`${file} ${entry.mode} ${entry.isFile() ? Math.floor(entry.mtimeMs) : ''}\n`)
    if (entry.isSymbolicLink()) hash.update(readlinkSync(file))
    else if (entry.isFile()) hash.update(readFileSync(file))
    else if (entry.isDirectory()) for (const name of readdirSync(file).toSorted()) look(join(file, name))
  }
  for (const root of roots) if (existsSync(root)) look(root)
  return hash.digest('hex')
}
