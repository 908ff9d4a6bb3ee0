/** The walls around a process that runs what an agent has written. Kinds differ by operating system. */
type WallsKind = 'bubblewrap' | 'seatbelt' | 'none'

/** The only way out of a room without a network: a port of its own loopback leads to a socket of ours. */
interface Door {
  readonly socket: string
  readonly port: number
}

export interface Cover {
  readonly path: string
  readonly by: string
}

export const nothing = '/dev/null'

export interface Limits {
  /** Of all processes of a room together; what lies in files is not counted. */
  readonly memoryBytes: number
  readonly processes: number
  /** Of a single file. */
  readonly fileBytes: number
}

/** What a process behind the walls can reach. Whatever is not named here does not exist for it. */
export interface Room {
  readonly readable: readonly string[]
  readonly writable: readonly string[]
  /** Writable, but cannot be renamed or replaced: what lies in it keeps its name. */
  readonly pinned: readonly string[]
  /** Inside of what is writable, and not to be written, renamed or replaced. Has to exist. */
  readonly sealed: readonly string[]
  /** Files whose content is another one's inside: nothing at all for secrets. */
  readonly covered: readonly Cover[]
  /** Folder on disk that is /tmp inside. */
  readonly scratch: string
  /** No door: no network at all. */
  readonly doors: readonly Door[]
  readonly limits: Limits
}

export interface RoomCommand {
  readonly argv: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

export interface Walls {
  readonly kind: WallsKind
  /** The command that runs this one inside the room; where there are no walls, the same command. */
  around(command: RoomCommand, room: Room): RoomCommand
}
