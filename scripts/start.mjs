// npm start: sets the checkout up, then becomes the standalone service (in this process, so that signals reach it).
import { begin } from './parts/begin.mjs';
import { asksForHelp } from './parts/help.mjs';

const root = await begin(asksForHelp() ? { apps: ['standalone'] } : {}, ({ ROOT }) => ROOT);
process.title = 'node apps/standalone';
await import(`${root}/apps/standalone/dist/standalone.mjs`);
