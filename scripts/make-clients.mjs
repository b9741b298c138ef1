// npm run clients: makes the clients for Python, Go, PHP and Java, which the next build of the API offers at
// /downloads. Needs Java 11 or newer, and Maven Central, from which it gets OpenAPI Generator.
import './parts/node-version.mjs';
import { refuseUnknownOptions } from './parts/help.mjs';

refuseUnknownOptions(import.meta.url);
const { endWithNpm, fail } = await import('./parts/lib.mjs');
endWithNpm();
try {
  const { setUp } = await import('./parts/setup.mjs');
  const { EXAMPLE_URL, makeClients, openapiDocument } = await import('./clients/make.mjs');
  await setUp({ apps: [], out: process.stderr });
  const archives = await makeClients(await openapiDocument(EXAMPLE_URL));
  process.stdout.write(`${archives.join('\n')}\n`);
  process.exit(0);
} catch (error) {
  fail(error);
}
