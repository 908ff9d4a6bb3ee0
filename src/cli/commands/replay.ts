import { exitCodes } from '../../model/failure.ts'
import { replayDocument, replayText } from '../../views/replay-text.ts'
import type { Command } from '../command.ts'
import { replayRun } from '../replay-run.ts'

export async function replay({ surroundings, output }: Command, run: string | undefined): Promise<number> {
  const replayed = await replayRun(surroundings, run)
  output.result(replayText(replayed), replayDocument(replayed))
  return replayed.end.type === 'different' ? exitCodes.failed : exitCodes.delivered
}
