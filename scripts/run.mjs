// run.mjs admin <args>: the operator's command line. run.mjs <command> <args>: that command of it, `npm run smoke` and
// the like.
import './parts/node-version.mjs';
import { pathToFileURL } from 'node:url';

const { endWithNpm, fail, ROOT } = await import('./parts/lib.mjs');
endWithNpm();
const [command, ...args] = process.argv.slice(2);
try {
  const { setUp } = await import('./parts/setup.mjs');
  await setUp({ apps: ['admin'], out: process.stderr });
} catch (error) {
  fail(error);
}
const bundle = `${ROOT}/apps/admin/dist/admin.mjs`;
process.argv = [process.execPath, bundle, ...(command === undefined || command === 'admin' ? [] : [command]), ...args];
await import(pathToFileURL(bundle).href);
