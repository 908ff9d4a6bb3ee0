// Numbers for people. Every ratio is against the floor of the same table, measured in the same rounds.

export function startUpTable({ floor, version, help, runs }) {
  return table(
    `Start-up (medians of ${floor.rounds} rounds, ms)`,
    ['command', 'wall', 'min', 'max', 'cpu', 'ratio', 'cpu ratio', 'target'],
    [
      timing('node -e 0', floor, floor, ''),
      timing('baton --version', version, floor, '<= 1.5'),
      timing('baton --help', help, floor, ''),
      timing('baton runs', runs, floor, ''),
    ],
  )
}

export function firewallTables({ decision, floor, hook }) {
  return [
    table(
      `A decision of the firewall (${decision.count} decisions, microseconds)`,
      ['p50', 'p99'],
      [[fixed(decision.p50), fixed(decision.p99)]],
    ),
    table(
      `A question on its way to the firewall and back (medians of ${floor.rounds} rounds, ms)`,
      ['what', 'wall', 'min', 'max', 'cpu', 'ratio', 'cpu ratio', 'target'],
      [timing('node -e 0', floor, floor, ''), timing('hook', hook, floor, '<= 0.25')],
    ),
  ]
}

export function pipelineTables({ rows }) {
  return rows.flatMap((row) => [pipelineTable(row), profileTable(row.profile)])
}

function pipelineTable({ files, agents: kind, floor, sideBySide, baton, counts, profile }) {
  const { git, agents, tests, agentGits, removals, removers } = counts
  const others = `${agents} agents (+${agentGits} git of their own), ${tests} tests`
  const repository = files === 0 ? 'a repository of a few files' : `a repository of ${files} files`
  const actors = kind === 'shell' ? 'shell files for agents' : 'scripted agents'
  return table(
    `Pipeline of nine roles with ${actors}, in ${repository} (medians of ${floor.rounds} rounds, ms)`,
    ['side', 'wall', 'min', 'max', 'ratio', 'of rounds', 'target', 'processes'],
    [
      [...wallOnly('shell script', floor, ''), `${git} git, ${others}, ${removals} rm`],
      [
        ...wallOnly('  side by side where Baton is', sideBySide, ''),
        `the same; Baton takes ${fixed(baton.ratio.median / sideBySide.ratio.median, 2)} of its time`,
      ],
      [
        ...wallOnly('baton run', baton, '<= 1.5'),
        `${profile.gits} git, ${others}, ${removers} rm, ${agents} shells that record exits`,
      ],
    ],
  )
}

/** Baton's git commands are children of a shell, whose CPU time nobody hands on: a ratio of CPU times would flatter. */
function wallOnly(name, { median, min, max, ratio }, target) {
  const range = `${fixed(ratio.min, 2)}-${fixed(ratio.max, 2)}`
  return [name, fixed(median), fixed(min), fixed(max), fixed(ratio.median, 2), range, target]
}

function profileTable(profile) {
  const row = (name, ms) => [name, fixed(ms), `${Math.round((100 * ms) / profile.wallMs)} %`]
  return table(
    `Where one run of Baton spends its ${fixed(profile.wallMs)} ms (started as the timed ones, noted from inside)`,
    ['what', 'wall', 'share'],
    [
      row('node itself, until its first line', profile.bootMs),
      row('waiting for git', profile.gitMs),
      row('waiting for agents and tests', profile.otherChildrenMs),
      row(`waiting for ${profile.syncs} syncs beside that`, profile.syncMs),
      row("Baton's own work and file operations", profile.restMs),
      row('  of it: modules, until the first git', profile.loadMs),
      row('  of it: settings, workflow, freeze, until the branch', profile.planMs),
      row('  of it or beside it: starting shells, agents and tests', profile.spawnMs),
      row('  of it: looking through /proc', profile.procMs),
      row('CPU of the engine process', profile.engineCpuMs),
    ],
  )
}

export function parseTables({ rows, growth }) {
  return [
    table(
      'Parsing an answer (medians, floor: SHA-256 of the same bytes)',
      ['text', 'MB', 'ms', 'min', 'max', 'MB/s', 'floor MB/s', 'ratio', 'found'],
      rows.map(({ name, megabytes, floor, parse, found }) => [
        name,
        String(megabytes),
        fixed(parse.median, 1),
        fixed(parse.min, 1),
        fixed(parse.max, 1),
        fixed((megabytes * 1000) / parse.median),
        fixed((megabytes * 1000) / floor.median),
        fixed(parse.median / floor.median, 2),
        found,
      ]),
    ),
    table(
      'Is it linear? (least CPU time)',
      ['text', 'ten times the text takes', 'target'],
      growth.map(({ name, factor }) => [name, fixed(factor, 1), '8 to 12.5']),
    ),
  ]
}

export function memoryTable({ rows, limitMB }) {
  return table(
    'Peak memory of the engine process (VmHWM)',
    ['the agent prints', 'MB', 'ratio', 'target', 'seconds'],
    rows.map(({ size, peakMB, wallMs }) => [
      size,
      fixed(peakMB),
      fixed(peakMB / rows[0].peakMB, 2),
      `< ${limitMB} MB`,
      fixed(wallMs / 1000, 1),
    ]),
  )
}

export function journalTables({ append, read, lines }) {
  return [
    table(
      'Appending a fact (ms, floor: write and fdatasync without anything else)',
      ['', 'p50', 'p95', 'ratio of p50'],
      [
        ['write + fdatasync', fixed(append.floor.p50, 3), fixed(append.floor.p95, 3), ''],
        [
          'journal.append',
          fixed(append.append.p50, 3),
          fixed(append.append.p95, 3),
          fixed(append.append.p50 / append.floor.p50, 2),
        ],
      ],
    ),
    table(
      `Reading ${lines} lines (ms, floor: readFile, split, JSON.parse)`,
      ['', 'median', 'min', 'max', 'ratio'],
      [
        ['JSON.parse', ...three(read.floor), ''],
        ['readJournal', ...three(read.read), fixed(read.read.median / read.floor.median, 2)],
      ],
    ),
  ]
}

function three({ median, min, max }) {
  return [fixed(median, 1), fixed(min, 1), fixed(max, 1)]
}

function timing(name, side, floor, target) {
  return [
    name,
    fixed(side.median),
    fixed(side.min),
    fixed(side.max),
    fixed(side.cpu),
    fixed(side.ratio.median, 2),
    fixed(side.cpu / floor.cpu, 2),
    target,
  ]
}

export function fixed(value, digits = 0) {
  return Number.isFinite(value) ? value.toFixed(digits) : '-'
}

export function table(title, head, rows) {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column].length)))
  const line = (cells) =>
    `  ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ')}`
  return [title, line(head), ...rows.map(line)].join('\n')
}
