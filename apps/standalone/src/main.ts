import { fileURLToPath } from 'node:url';
import { keepInspectorClosed } from '@pts/runtime/diagnosis';
import { readOptions, StartupError, USAGE } from './options.ts';
import { startStandalone } from './standalone.ts';
import { createClosing, createOutput, stopOnSignals } from './supervisor.ts';

keepInspectorClosed();
const root = fileURLToPath(new URL('../../..', import.meta.url));
const { argv, env, stdout, stderr } = process;
const output = createOutput(stdout, stdout.isTTY && !env.NO_COLOR);
const say = (line: string) => output.line('standalone', line);
const closing = createClosing((error) => say(`an error occurred while stopping: ${error}`));
stdout.on('error', () => {}); // nothing reads our output anymore, but the service continues

if (argv.includes('--help')) {
  output.plain(USAGE);
  process.exit(0);
}
stopOnSignals(closing, say);
try {
  const options = readOptions(argv.slice(2), env, root);
  const onFolderGone = () => {
    const { dir } = options;
    stderr.write(
      `\n${dir} was deleted or moved while the service was running, so the service stopped. Start it again.\n`,
    );
    closing.force();
    process.exit(1);
  };
  await startStandalone(options, { root, env, output, closing, onFolderGone });
} catch (error) {
  // Stopping makes work in progress fail.
  if (!closing.hasBegun()) {
    await closing.run();
    stderr.write(`\n${error instanceof StartupError ? error.message : error instanceof Error ? error.stack : error}\n`);
    process.exit(1);
  }
}
