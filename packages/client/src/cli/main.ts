import { run } from './run.ts';

const { argv, env, platform, stdin, stdout, stderr } = process;
const interruption = new AbortController();
// A second Ctrl-C ends the process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interruption.abort(new DOMException(signal, 'AbortError')));
stdout.on('error', () => process.exit(0)); // `pts … | head` reads only the first lines
process.exitCode = await run(argv.slice(2), { env, platform, stdin, stdout, stderr, signal: interruption.signal });
