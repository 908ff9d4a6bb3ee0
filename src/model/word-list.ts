import * as z from 'zod'

/** A command in a settings file: no shell reads it, so its words stand apart. */
export const wordList = z.array(z.string(), 'a list of words such as [make, test]').min(1)
