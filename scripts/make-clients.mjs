// npm run clients: makes the clients for Python, Go, PHP and Java, which the next build of the API offers at
// /downloads. Needs Java 11 or newer, and Maven Central, from which it gets OpenAPI Generator.
import { begin } from './parts/begin.mjs';
import { refuseUnknownOptions } from './parts/help.mjs';

refuseUnknownOptions(import.meta.url);
await begin({ apps: [], out: process.stderr }, async () => {
  const { EXAMPLE_URL, makeClients, openapiDocument } = await import('./clients/make.mjs');
  const archives = await makeClients(await openapiDocument(EXAMPLE_URL));
  process.stdout.write(`${archives.join('\n')}\n`);
  process.exit(0);
});
