import { loadSettings } from '../../config/load-settings.ts'
import type { LoadedWorkflow } from '../../config/loaded-workflow.ts'
import { FailureError } from '../../model/failure.ts'
import { doctorTable } from '../../views/doctor-table.ts'
import type { DoctorRow } from '../../views/doctor-table.ts'
import type { Command } from '../command.ts'
import { examineMachine } from '../examine-machine.ts'
import { examineProviders } from '../examine-providers.ts'
import type { Finding } from '../finding.ts'
import { openLayers } from '../project.ts'
import { loadAll } from '../workbench.ts'

/** Whether a run could work here, without asking any model; each finding with what mends it. */
export async function doctor(
  { surroundings, output }: Command,
  { fix, workflow }: { readonly fix?: boolean; readonly workflow?: string },
): Promise<number> {
  const { cwd, env } = surroundings
  const asked = { layers: await openLayers(cwd, env), flags: { workflow }, env }
  const { settings } = await loadSettings(asked)
  const read = await readWorkflow(async () => (await loadAll(asked.layers, asked)).loaded)
  const found = [...(await examineMachine(surroundings, settings)), read.finding]
  const machine = await mended(found, fix === true)
  const providers = await examineProviders(surroundings, { settings, loaded: read.loaded })
  const rows = [...machine.map(machineRow), ...providers.map(({ row }) => row)]
  output.result(doctorTable(rows), {
    machine: machine.map(({ fix: _fix, ...finding }) => ({ ...finding })),
    providers: providers.map(({ json }) => json),
  })
  return rows.some(({ state }) => state === 'not ok') ? 2 : 0
}

interface ReadHere {
  readonly finding: Finding
  readonly loaded: LoadedWorkflow | undefined
}

/** What a run without further words would do, or why it could not even begin. */
async function readWorkflow(read: () => Promise<LoadedWorkflow>): Promise<ReadHere> {
  const name = 'workflow'
  try {
    const loaded = await read()
    const { workflow, source } = loaded
    return { finding: { name, ok: true, says: `${workflow.name} (${source.layer})` }, loaded }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error
    return { finding: { name, ok: false, says: error.message, mend: error.next }, loaded: undefined }
  }
}

interface Mended extends Finding {
  readonly mended?: boolean
}

async function mended(findings: readonly Finding[], fixes: boolean): Promise<readonly Mended[]> {
  const after: Mended[] = []
  for (const finding of findings) {
    const { name, ok, fix } = finding
    const isFixed = fixes && !ok && fix !== undefined
    after.push(isFixed ? { name, ok: true, says: await fix(), mended: true } : finding)
  }
  return after
}

function machineRow({ name, ok, says, mend, mended: isMended }: Mended): DoctorRow {
  const state = isMended === true ? 'mended' : ok ? 'ok' : 'not ok'
  return { name, state, says, ...(mend === undefined ? {} : { mend }) }
}
