import { fixed, table } from './tables.mjs'

export function wallsTables({ room, worktree, gate }) {
  const head = ['what', 'median', 'min', 'max', 'ratio', 'target']
  return [
    ...(room
      ? [
          table(`A room (medians of ${room.floor.rounds} rounds, ms)`, head, [
            row('true', room.floor, room.floor, ''),
            row('true in a room', room.walled, room.floor, ''),
            ['the room alone', fixed(room.walled.median - room.floor.median, 1), '', '', '', ''],
          ]),
        ]
      : ['A room: bubblewrap is not installed']),
    table(`A worktree of ${worktree.files} files (medians of ${worktree.floor.rounds} rounds, ms)`, head, [
      row('git worktree add', worktree.floor, worktree.floor, ''),
      row('with git directories of engine and agent', worktree.ours, worktree.floor, '<= 1.2'),
    ]),
    table(`A commit on its way out (medians of ${gate.floor.rounds} rounds, ms)`, head, [
      row('git fetch', gate.floor, gate.floor, ''),
      row('import gate, branch moved', gate.gate, gate.floor, ''),
    ]),
  ]
}

function row(name, side, floor, target) {
  const ratio = fixed(side.median / floor.median, 2)
  return [name, fixed(side.median, 1), fixed(side.min, 1), fixed(side.max, 1), ratio, target]
}
