// Loaded into Baton once, to see where a run's time goes. Everything is started as in the timed runs, git through the
// small shell too: only the moments are noted.
import childProcess from 'node:child_process'
import fs from 'node:fs'
import { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { performance } from 'node:perf_hooks'

process.execPath = process.env['BENCH_AGENT'] ?? process.execPath

const profile = { bootMs: performance.now(), commands: [], others: [], syncs: [], spawnMs: 0, procMs: 0 }

const { spawn } = childProcess
childProcess.spawn = function timedSpawn(file, args, options) {
  const from = performance.now()
  const child = spawn.call(this, file, args, options)
  profile.spawnMs += performance.now() - from
  if (file === '/bin/sh' && args.length === 0) watchShell(child)
  else child.once('exit', () => profile.others.push([from, performance.now()]))
  return child
}

/** One command at a time: from the order on its stdin to the exit code on its fourth pipe. */
function watchShell({ stdin, stdio }) {
  const { write } = stdin
  let entry
  stdin.write = function timedWrite(text, ...rest) {
    const gits = text.match(/\/git /g)?.length ?? 0
    entry = { from: performance.now(), writesRef: text.includes('update-ref'), gits }
    profile.commands.push(entry)
    return write.call(this, text, ...rest)
  }
  stdio[3].prependListener('data', () => (entry.to = performance.now()))
}

for (const name of ['fsync', 'fdatasync']) {
  const plain = fs[name]
  fs[name] = (file, done) => {
    const from = performance.now()
    return plain(file, (error) => {
      profile.syncs.push([from, performance.now()])
      done(error)
    })
  }
}

const handle = await open('/dev/null', 'r')
const { prototype } = handle.constructor
await handle.close()
for (const name of ['sync', 'datasync']) {
  const plain = prototype[name]
  prototype[name] = async function timedSync() {
    const from = performance.now()
    await plain.call(this)
    profile.syncs.push([from, performance.now()])
  }
}

for (const name of ['readdirSync', 'openSync', 'readSync', 'closeSync']) {
  const plain = fs[name]
  fs[name] = (...words) => {
    if (typeof words[0] === 'string' && !words[0].startsWith('/proc')) return plain(...words)
    const from = performance.now()
    try {
      return plain(...words)
    } finally {
      profile.procMs += performance.now() - from
    }
  }
}
syncBuiltinESMExports()

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  // What the shell is told about itself has no answer.
  const commands = profile.commands.filter(({ to }) => to !== undefined)
  const whole = { ...profile, commands, endMs: performance.now(), cpuMs: (user + system) / 1000 }
  fs.writeFileSync(process.env['BENCH_PROFILE'], JSON.stringify(whole))
})
