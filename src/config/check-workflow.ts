import type { WorkflowFile } from '../model/workflow-file.ts'
import { checkInputs } from './check-inputs.ts'
import { checkLabels } from './check-labels.ts'
import { checkModes } from './check-modes.ts'
import { checkPolicy } from './check-policy.ts'
import { checkReachable } from './check-reachable.ts'
import { checkRoles } from './check-roles.ts'
import { checkRoutes } from './check-routes.ts'
import { checkSteps } from './check-steps.ts'
import { checkSupervision } from './check-supervision.ts'
import { checkVariables } from './check-variables.ts'
import { outlineOf } from './outline.ts'
import type { Outline } from './outline.ts'
import type { Finding, Problem } from './problems.ts'
import { inOrder } from './problems.ts'
import type { Vocabulary } from './vocabulary.ts'
import { problemAt } from './yaml-document.ts'
import type { YamlDocument } from './yaml-document.ts'

/** What the shape of a file cannot tell: names that lead nowhere, loops without a limit, steps nobody reaches. */
export function checkWorkflow(document: YamlDocument, file: WorkflowFile, vocabulary: Vocabulary): Problem[] {
  const outline = outlineOf(file)
  const findings = checks.flatMap((check) => check(outline, vocabulary))
  // A name that leads nowhere leaves steps unreached: that would be the same mistake, told again.
  const told = findings.length > 0 ? findings : checkReachable(outline)
  return inOrder(told.map((finding) => problemAt(document, finding)))
}

type Check = (outline: Outline, vocabulary: Vocabulary) => Finding[]

const checks: readonly Check[] = [
  checkInputs,
  checkModes,
  checkSteps,
  checkRoles,
  checkPolicy,
  checkRoutes,
  checkLabels,
  checkSupervision,
  checkVariables,
]
