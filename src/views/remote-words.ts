import type { JsonObject } from '../model/json.ts'
import { textOf } from '../model/json.ts'

const lacks: Readonly<Record<string, string>> = {
  pull_request: 'pull requests are not required',
  force_push: 'forced pushes are not blocked',
}

/** The three answers of the remote safety check. */
export function remoteWords(data: JsonObject): string {
  const branch = `'${textOf(data['branch'])}'`
  switch (data['answer']) {
    case 'protected':
      return `The remote's ${branch} is protected: pull requests required, forced pushes blocked.`
    case 'unprotected': {
      const missing = Array.isArray(data['missing'])
        ? data['missing'].map((one) => lacks[textOf(one)] ?? '')
        : []
      return `Warning: the remote's ${branch} is not protected: ${missing.join(', ')}.`
    }
    default:
      return `Could not verify that the remote's ${branch} is protected: ${textOf(data['why'])}.`
  }
}

export function offeredWords(data: JsonObject): string {
  const verb = data['is_new'] === true ? 'opened' : 'brought up to date'
  const notes = Array.isArray(data['notes']) ? data['notes'].map(textOf) : []
  const short = notes.length === 0 ? '' : ` Not had: ${notes.join('; ')}.`
  return `Pull request ${verb}: ${textOf(data['url'])}${short.replaceAll(/\s+/g, ' ')}`
}
