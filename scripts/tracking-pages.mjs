// npm run tracking-pages [-- FOLDER]: writes the buyer's page in every state as HTML files, in four languages, to look
// at them, into .cache/tracking-pages/html.
import { refuseUnknownOptions } from './parts/help.mjs';
import { runBundled } from './parts/run-bundled.mjs';

refuseUnknownOptions(import.meta.url);
await runBundled({ entry: 'scripts/tracking-pages/main.ts', name: 'tracking-pages' });
