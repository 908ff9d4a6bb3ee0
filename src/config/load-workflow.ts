import { FailureError } from '../model/failure.ts'
import { workflowFileSchema } from '../model/workflow-file.ts'
import type { WorkflowFile } from '../model/workflow-file.ts'
import { refuseNetwork } from './check-policy.ts'
import { checkLists } from './check-lists.ts'
import { checkPrompt } from './check-prompts.ts'
import { checkWorkflow } from './check-workflow.ts'
import { findWorkflow, isPath, workflowFilesIn } from './find-files.ts'
import type { FoundFile } from './find-files.ts'
import { knownWorkflow } from './known-workflow.ts'
import type { Layer } from './layers.ts'
import { loadPrompts, loadSchemas } from './load-references.ts'
import type { LoadedWorkflow } from './loaded-workflow.ts'
import { nearest } from './nearest.ts'
import type { Casting } from './normalize-role.ts'
import { normalizeWorkflow } from './normalize-workflow.ts'
import { outlineOf } from './outline.ts'
import { defined } from './records.ts'
import { refuseOtherEncoding } from './refuse-other-encoding.ts'
import { failureOf, inOrder } from './problems.ts'
import { parseYamlDocument, placelessDocument, problemAt } from './yaml-document.ts'
import type { YamlDocument } from './yaml-document.ts'
import { readAs } from './zod-problems.ts'
import { withProjectConfig, withProjectPrompts } from './project-config.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface LoadOptions extends Casting, Vocabulary {
  readonly layers: readonly Layer[]
}

export async function loadWorkflow(reference: string, options: LoadOptions): Promise<LoadedWorkflow> {
  const read = await readWorkflow(reference, options.layers)
  const { source, document, isChecked } = read
  const problems = isChecked ? [] : checkWorkflow(document, read.file, vocabularyOf(options))
  if (problems.length > 0) throw failureOf(problems, 'workflow.invalid')
  const file = await withProjectConfig(read.file, options.layers)
  const outline = outlineOf(file)
  const prompts = await loadPrompts({ outline, document }, withProjectPrompts(file, options.layers))
  const schemas = await loadSchemas({ outline, document }, options.layers)
  const holes = [
    ...inOrder(checkLists(outline, schemas).map((finding) => problemAt(document, finding))),
    ...Object.entries(prompts).flatMap(([name, prompt]) => inOrder(checkPrompt(outline, name, prompt))),
  ]
  if (holes.length > 0) throw failureOf(holes, 'workflow.invalid')
  const workflow = normalizeWorkflow(file, options)
  if (options.offline) refuseNetwork(workflow, options.offline)
  return { workflow, source, prompts, schemas }
}

/** Providers that the user overrules are not played, so they need not exist. */
function vocabularyOf({ actions, gates, providers, providerOverride }: LoadOptions): Vocabulary {
  return { actions, gates, ...defined({ providers: providerOverride === undefined ? providers : undefined }) }
}

export interface ReadWorkflow {
  readonly source: FoundFile
  readonly document: YamlDocument
  readonly file: WorkflowFile
  /** When the program was built: then it is not done again, and the document knows no places. */
  readonly isChecked: boolean
}

/** The file as written, its shape checked and nothing more. */
export async function readWorkflow(reference: string, layers: readonly Layer[]): Promise<ReadWorkflow> {
  const source = await findWorkflow(reference, layers)
  if (!source) throw await missingWorkflow(reference, layers)
  const known = await knownWorkflow(source)
  if (known) return { source, document: placelessDocument(source), file: known, isChecked: true }
  refuseOtherEncoding(source)
  const document = await parseYamlDocument(source.path, source.text)
  const { value: file, problems } = readAs(document, workflowFileSchema)
  if (!file) throw failureOf(problems, 'workflow.invalid')
  return { source, document, file, isChecked: false }
}

async function missingWorkflow(reference: string, layers: readonly Layer[]): Promise<FailureError> {
  const found = await Promise.all(layers.map(workflowFilesIn))
  const names = [...new Set(found.flat().map(({ name }) => name))].toSorted()
  const close = nearest(reference, names)
  const list = names.length === 0 ? 'there are none yet' : `there are: ${names.join(', ')}`
  return new FailureError({
    code: 'workflow.missing',
    message: isPath(reference)
      ? `There is no workflow file '${reference}'.`
      : `There is no workflow '${reference}'.`,
    next:
      close === undefined
        ? `Name another workflow; ${list}.`
        : `Did you mean '${close}'? Of workflows ${list}.`,
  })
}
