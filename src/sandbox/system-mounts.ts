import { existsSync, lstatSync, readlinkSync } from 'node:fs'

const programs = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/**
 * What programs look up about the machine, and nothing that holds a secret: not the whole folder, since whoever is
 * root outside could read the password hashes inside.
 */
const lookups = [
  ...['passwd', 'group', 'hosts', 'host.conf', 'nsswitch.conf', 'resolv.conf', 'protocols', 'services'],
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'localtime', 'timezone', 'locale.alias'],
  ...['ssl', 'pki', 'ca-certificates', 'ca-certificates.conf', 'crypto-policies', 'mime.types', 'magic'],
  ...[
    'os-release',
    'debian_version',
    'profile',
    'bash.bashrc',
    'inputrc',
    'terminfo',
    'fonts',
    'xml',
    'sgml',
  ],
  ...[
    'java',
    'maven',
    'gradle',
    'python',
    'python3',
    'perl',
    'php',
    'dotnet',
    'R',
    'emacs',
    'manpath.config',
  ],
].map((name) => `/etc/${name}`)

/** The read-only parts of every room, as arguments of bubblewrap. The same for the life of the process. */
export function systemMounts(): readonly string[] {
  known ??= [
    ...['--ro-bind', '/usr', '/usr'],
    ...programs.flatMap(programFolder),
    ...lookups.flatMap((path) => ['--ro-bind-try', path, path]),
  ]
  return known
}

let known: readonly string[] | undefined

/** Ways into the kernel that look at the user alone; which of them there are depends on how it was built. */
export function coveredFiles(): readonly string[] {
  covered ??= ['/proc/sysrq-trigger', '/proc/kcore', '/proc/keys', '/proc/timer_list'].filter((path) =>
    existsSync(path),
  )
  return covered
}

let covered: readonly string[] | undefined

/** A link on most systems, a folder on older ones. */
function programFolder(path: string): readonly string[] {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry?.isSymbolicLink() === true) return ['--symlink', readlinkSync(path), path]
  return entry?.isDirectory() === true ? ['--ro-bind', path, path] : []
}
