// A model on 127.0.0.1 that says at once that it is done. Started as `node --import tsx bench/model-server.mjs KIND`,
// prints the variables that lead a tool to it, and ends with its standard input.
import { startModelServer } from '../test/support/model-servers/model-server.ts'

const done = 'Done.\n```json\n{"status":"success"}\n```\n'
const server = await startModelServer(process.argv[2], () => ({ say: done }))
console.log(JSON.stringify(server.env))
process.stdin.resume()
process.stdin.once('end', () => process.exit(0))
