import { fileURLToPath } from 'node:url';
import { runCli } from './cli.ts';

const { argv, env, stdout, stderr } = process;
stdout.on('error', () => {}); // `… | head` reads only the first lines
process.exitCode = await runCli(argv.slice(2), {
  env,
  // From src as from dist, in a checkout as in an image.
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  now: () => new Date(),
  stdout,
  stderr,
});
