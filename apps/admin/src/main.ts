import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { askLine } from '@pts/client/cli/kit';
import { runCli } from './cli.ts';

const { argv, env, stdin, stdout, stderr } = process;
/**
 * Ctrl-C, or a closed terminal. Only for commands that handle it: the others end at once. A second Ctrl-C ends these
 * too.
 */
function interrupted(): AbortSignal {
  const requested = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => requested.abort());
  return requested.signal;
}

// `… | head` reads only the first lines, and a closed terminal none.
for (const stream of [stdout, stderr]) stream.on('error', () => {});
process.exitCode = await runCli(argv.slice(2), {
  env,
  // The same path from src and dist, in a checkout and in an image.
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  now: () => new Date(),
  interrupted,
  input: () => text(stdin),
  askSecret: (question) => askLine(stdin, stderr, question, { isSecret: true }),
  stdout,
  stderr,
});
