import type { JsonObject } from '../model/json.ts'
import { textOf } from '../model/json.ts'
import { problemLines, readTaskList } from '../model/task-list.ts'
import type { GateFacts, Judgement } from './gate.ts'
import { met, unmet } from './gate.ts'
import { counted } from './listed.ts'

/** A list that the engine is to go through has to be one: every task with a number of its own and a box. */
export function taskListValid({ artifacts }: GateFacts, parameters: JsonObject): Judgement {
  const end = textOf(parameters['task_list_valid'])
  const found = Object.entries(artifacts).find(([path]) => path === end || path.endsWith(`/${end}`))
  if (!found) return unmet(`there is no ${end} among what the step wrote`)
  const [path, text] = found
  const { tasks, problems } = readTaskList(text)
  if (problems.length > 0) return unmet(problemLines(path, problems))
  return met(`${counted(tasks.length, 'task')} in ${path}, ${tasks.filter(({ done }) => !done).length} open`)
}
