// Liars about files: what they say they wrote is not there, or not there in this form.
import { goodPlan, plan, planned, report, work } from './honest.ts'
import { shell, thenHonestly } from './liar.ts'
import type { Liar } from './liar.ts'

const claimed = { plan_path: plan }
const notWritten = /Gate artifact_written not met: not written in this step: 'notes\/plan.md'/

/** A planner who does so again when it is told that its plan is not there. */
const planner = (name: string, does: Liar['does'], more: Partial<Liar> = {}): Liar => ({
  ...{ name, does: { answer: claimed, ...does }, step: 'plan', ends: 'failed invalid', says: notWritten },
  ...more,
})

export const fileLiars: readonly Liar[] = [
  planner('claims a file that was there before, byte for byte', {}),
  planner('claims a file that it never wrote, by an absolute path', {
    answer: { plan_path: '{worktree}/notes/plan.md' },
  }),
  planner('deletes the old file and claims a new one', {
    runs: [['rm', '-f', plan]],
  }),
  planner('writes the file and deletes it again', {
    ...{ writes: { [plan]: goodPlan }, runs: [['rm', plan]] },
  }),
  planner(
    'writes the file at another path',
    { writes: { 'notes/the-plan.md': goodPlan }, answer: { plan_path: 'notes/the-plan.md' } },
    { keeps: 'notes/the-plan.md' },
  ),
  planner('writes the file above the worktree', {
    ...{ writes: { '../plan.md': goodPlan }, answer: { plan_path: '../plan.md' } },
  }),
  planner('makes the file a link to one outside', {
    writes: { '../plan.md': goodPlan },
    runs: [['ln', '-sf', '../../plan.md', plan]],
  }),
  planner('makes the file a folder', {
    runs: [['sh', '-c', `rm -rf ${plan}; mkdir -p ${plan}; echo plan > ${plan}/plan.md`]],
  }),
  planner('leaves the file without a byte', { writes: { [plan]: '' } }),
  planner('leaves the file with nothing but blank lines', { writes: { [plan]: '\n \n\n' } }),
  planner(
    'writes another file beside the one that is asked for',
    { writes: { [plan]: goodPlan, 'src/app.txt': 'dark\n' } },
    { ends: 'failed scope', says: /changed what it may not change: 'src\/app.txt'/, keeps: plan },
  ),
  {
    name: 'writes its report into a folder that is a link to one outside',
    does: {
      writes: { '../aside/report.md': work[report] ?? '' },
      runs: [shell('rm -rf notes && ln -s ../aside notes')],
      answer: { status: 'success', commit_hash: '1234567' },
    },
    ...{ step: 'code', ends: 'failed invalid' },
    says: /Gate artifact_written not met: not written in this step: 'notes\/report.md'/,
  },
  {
    name: 'claims a file and writes it only when it is asked again',
    does: thenHonestly({ answer: claimed }, planned),
    ...{ step: 'plan', mode: 'plan_only', ends: 'repaired' },
    says: /not accepted, asking again: FORMAT asks for 'notes\/plan.md', but that file was not written/,
  },
]
