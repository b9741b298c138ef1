// npm start: sets the checkout up, then becomes the standalone service (in this process, so that signals reach it).
import './parts/node-version.mjs';
import { asksForHelp } from './parts/help.mjs';

const { endWithNpm, fail, ROOT } = await import('./parts/lib.mjs');
endWithNpm();
try {
  const { setUp } = await import('./parts/setup.mjs');
  await setUp(asksForHelp() ? { apps: ['standalone'] } : {});
} catch (error) {
  fail(error);
}
process.title = 'node apps/standalone';
await import(`${ROOT}/apps/standalone/dist/standalone.mjs`);
