import { oneLine } from './present.ts'

/** What a cancelled run had running, one process a line. */
export function stoppedText(
  step: string,
  stopped: readonly { readonly pid: number; readonly command: string }[],
): string {
  const where = step === '' ? 'Stopped before its first step' : `Stopped at step '${step}'`
  if (stopped.length === 0) return `${where}; no process of it was running.`
  const count = stopped.length === 1 ? 'one process' : `${stopped.length} processes`
  return [
    `${where}, with ${count}:`,
    ...stopped.map(({ pid, command }) => `  ${pid}  ${clipped(command)}`),
  ].join('\n')
}

function clipped(command: string): string {
  const line = oneLine(command.replaceAll(/\s+/g, ' '))
  return line.length > 100 ? `${line.slice(0, 100)}...` : line
}
