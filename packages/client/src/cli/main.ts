import { exitAfterOutput } from './errors.ts';
import { run } from './run.ts';

const { argv, env, platform, stdin, stdout, stderr } = process;
const interruption = new AbortController();
// A second Ctrl-C ends the process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interruption.abort(new DOMException(signal, 'AbortError')));
stdout.on('error', (error) => {
  const exit = exitAfterOutput(error);
  if (exit !== 0) stderr.write(`The output is incomplete: ${error.message}\n`);
  process.exit(exit);
});
process.exitCode = await run(argv.slice(2), { env, platform, stdin, stdout, stderr, signal: interruption.signal });
