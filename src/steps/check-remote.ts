import type { DurableContext } from '../model/durable.ts'
import { engineEvent } from '../model/event.ts'
import { exitCodes, FailureError } from '../model/failure.ts'
import type { RemoteCheck } from '../model/settings.ts'
import { ForgeError } from '../forge/forge.ts'
import type { Guard, Protection } from '../forge/forge.ts'
import { resolveBase } from '../git/repository.ts'
import { remoteBranch } from './remote-branch.ts'
import type { Workplace } from './workplace.ts'

type Checked = {
  readonly branch: string
  readonly answer: Protection['type']
  readonly missing: readonly Guard[]
  readonly why: string
}

/** Before anything is made: whether the remote's base is guarded against what no agent may do (R001-18 to 21). */
export async function checkRemote(context: DurableContext, workplace: Workplace): Promise<void> {
  const mode = workplace.requested.remote_check ?? 'off'
  if (mode === 'off') return
  const checked = await context.step<Checked>('run/remote', async ({ signal }) => {
    const base = await resolveBase(workplace.repo, workplace.requested.base ?? workplace.settings.base)
    const branch = remoteBranch(base, workplace.outside?.git.remote ?? 'origin')
    const protection = await ask(workplace, branch, signal)
    refuse(mode, branch, protection)
    return {
      branch,
      answer: protection.type,
      missing: protection.type === 'unprotected' ? protection.missing : [],
      why: protection.type === 'unknown' ? protection.why : '',
    }
  })
  await context.record('run/remote_checked', engineEvent('remote.checked', { ...checked }))
}

async function ask({ outside }: Workplace, branch: string, signal: AbortSignal): Promise<Protection> {
  const opened = await outside?.forge(signal)
  if (opened?.type !== 'open')
    return { type: 'unknown', why: opened?.why ?? 'there is no remote', isAbsent: true }
  try {
    return await opened.forge.protection(branch)
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error
    return { type: 'unknown', why: error.message }
  }
}

function refuse(mode: RemoteCheck, branch: string, protection: Protection): void {
  if (mode !== 'abort' || protection.type === 'protected') return
  if (protection.type === 'unknown' && protection.isAbsent === true) return
  const next = 'Protect the branch at the forge, or go on all the same: --remote-check warn'
  if (protection.type === 'unknown') {
    throw new FailureError({
      code: 'remote.unverified',
      message: `Nobody could tell whether the remote's '${branch}' is protected: ${protection.why}.`,
      ...{ next, exitCode: exitCodes.security },
    })
  }
  const missing = protection.missing.map((guard) => lacks[guard]).join(', ')
  throw new FailureError({
    code: 'remote.unprotected',
    message: `The remote's '${branch}' is not protected: ${missing}.`,
    ...{ next, exitCode: exitCodes.security },
  })
}

const lacks: Readonly<Record<Guard, string>> = {
  pull_request: 'pull requests are not required',
  force_push: 'forced pushes are not blocked',
}
