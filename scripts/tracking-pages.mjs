// npm run tracking-pages [-- FOLDER]: writes the buyer's page in every state as HTML files, in four languages, to look
// at them, into .cache/tracking-pages/html.
import './parts/node-version.mjs';
import { refuseUnknownOptions } from './parts/help.mjs';

refuseUnknownOptions(import.meta.url);
const { runBundled } = await import('./parts/run-bundled.mjs');
await runBundled({ entry: 'scripts/tracking-pages/main.ts', name: 'tracking-pages' });
