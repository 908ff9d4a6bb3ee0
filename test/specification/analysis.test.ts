import { describe, expect, it } from 'vitest'
import { playPipeline } from '../support/pipeline.ts'
import * as steps from '../support/pipeline-steps.ts'
import { sequence } from '../support/sequence.ts'

describe.concurrent('happy paths', () => {
  for (const mode of ['bugfix','research','direct'] as const)
  it(mode, async () => {
    const run = await playPipeline({ mode })
    expect(sequence(run)).toEqual([...steps.begin(mode), ...(mode==='bugfix' ? [...steps.investigate(), ...steps.analystApproves()] : mode === 'research' ? [...steps.research(), ...steps.analystApproves()] : []), ...steps.fromPlan()])
  })
})
