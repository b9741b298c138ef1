// run.mjs admin <args>: the operator's command line. run.mjs <command> <args>: that command of it, `npm run smoke` and
// the like.
import { pathToFileURL } from 'node:url';
import { begin } from './parts/begin.mjs';

const [command, ...args] = process.argv.slice(2);
const root = await begin({ apps: ['admin'], out: process.stderr }, ({ ROOT }) => ROOT);
const bundle = `${root}/apps/admin/dist/admin.mjs`;
process.argv = [process.execPath, bundle, ...(command === undefined || command === 'admin' ? [] : [command]), ...args];
await import(pathToFileURL(bundle).href);
