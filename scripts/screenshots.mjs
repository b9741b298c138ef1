// npm run screenshots [-- VIEW …]: starts an installation of its own and photographs every view of the console, or
// those named (tests/browser/support/shots.ts has the names), into .cache/screenshots.
import { begin } from './parts/begin.mjs';
import { refuseUnknownOptions } from './parts/help.mjs';

refuseUnknownOptions(import.meta.url);
await begin({}, async ({ runInTerminal }) => {
  const ended = await runInTerminal(['--import', 'tsx', 'tests/browser/screenshots.ts', ...process.argv.slice(2)]);
  process.exit(ended === 0 ? 0 : 1);
});
