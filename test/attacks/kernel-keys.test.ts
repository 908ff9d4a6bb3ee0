// Keys of the kernel are handed on to every process of a session: a room must not be able to read them.
import { execFileSync, spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filteredProcessors } from '../../src/sandbox/key-filter.ts'
import { isWalled, makeRoom, ownWalls } from '../support/room.ts'
import type { TestRoom } from '../support/room.ts'

const numbers: Readonly<Record<string, { readonly add: number; readonly control: number }>> = {
  x64: { add: 248, control: 250 },
  arm64: { add: 217, control: 219 },
}
const { add, control } = numbers[process.arch] ?? { add: 0, control: 0 }

/** A session of its own with a key in it, then what follows: the keys of whoever runs the tests are left alone. */
const keeping = `my $session = "baton-test";
  syscall(${control}, 1, $session) > 0 or die "no session: $!";
  my ($type, $name, $key) = ("user", "baton-attack", "SECRET-KEY");
  syscall(${add}, $type, $name, $key, length $key, -3) > 0 or die "no key: $!";
  exec @ARGV;`

/** Searches the session for the key and prints it. */
const reading = `my ($type, $name, $text) = ("user", "baton-attack", " " x 64);
  my $id = syscall(${control}, 10, -3, $type, $name, 0);
  $id > 0 or die "not found: " . ($! + 0);
  my $length = syscall(${control}, 11, $id, $text, 64);
  print substr($text, 0, $length);`

const perl = '/usr/bin/perl'

/** Some containers take the calls away from everybody. */
const hasKeys =
  filteredProcessors.includes(process.arch) && spawnSync(perl, ['-e', keeping, 'true']).status === 0

describe.skipIf(!isWalled || !hasKeys)('a key of the session', () => {
  let place: TestRoom
  beforeAll(() => {
    place = makeRoom()
  })
  afterAll(() => place.remove())

  function read(prefix: (argv: readonly string[]) => readonly string[]): string {
    const command = ['-e', keeping, ...prefix([perl, '-e', reading])]
    try {
      return execFileSync(perl, command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    } catch (error) {
      return (error as { stderr: string }).stderr
    }
  }
  const inRoom = (argv: readonly string[]): readonly string[] =>
    ownWalls.around({ argv: ['/usr/bin/env', ...argv], env: {}, cwd: place.inside }, place.room).argv

  it('is read by every program outside', () => {
    expect(read((argv) => argv)).toBe('SECRET-KEY')
  })

  it('is read inside where that wall is missing: the test can fail', () => {
    const unfiltered = (argv: readonly string[]) => {
      const words = inRoom(argv)
      return words.slice(words.indexOf('--seccomp') - 1).toSpliced(1, 2)
    }
    expect(read(unfiltered)).toBe('SECRET-KEY')
  })

  it('cannot be read inside: there are no such calls', () => {
    expect(read(inRoom)).toContain(`not found: ${constants.errno.ENOSYS}`)
  })
})
