/** What projects write down for agents, whichever tool the file is named after. */
export const instructionFiles: readonly string[] = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md']
