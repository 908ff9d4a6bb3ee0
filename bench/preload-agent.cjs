// Loaded into Baton before its own code: scripted agents are started as `<node> scripted-agent.cjs CALL.json`, and
// this puts a tiny shell program in the place of node, which would cost 45 ms per agent on both sides.
process.execPath = process.env['BENCH_AGENT'] ?? process.execPath
