import { fixed, table } from './tables.mjs'

export function wallsTables({ room, worktree, gate }) {
  const head = ['what', 'median', 'min', 'max', 'ratio', 'target']
  return [
    ...(room
      ? [
          table(`A room (medians of ${room.floor.rounds} rounds, ms)`, head, [
            row('true', room.floor, ''),
            row('true in a room', room.walled, ''),
            ['the room alone', fixed(room.walled.median - room.floor.median, 1), '', '', '', ''],
          ]),
        ]
      : ['A room: bubblewrap is not installed']),
    table(`A worktree of ${worktree.files} files (medians of ${worktree.floor.rounds} rounds, ms)`, head, [
      row('git worktree add', worktree.floor, ''),
      row('with git directories of engine and agent', worktree.ours, '<= 1.2'),
    ]),
    table(`A commit on its way out (medians of ${gate.floor.rounds} rounds, ms)`, head, [
      row('git fetch', gate.floor, ''),
      row('import gate, branch moved', gate.gate, ''),
    ]),
  ]
}

function row(name, { median, min, max, ratio }, target) {
  return [name, fixed(median, 1), fixed(min, 1), fixed(max, 1), fixed(ratio.median, 2), target]
}
