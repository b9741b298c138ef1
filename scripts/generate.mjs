// npm run generate: the Prisma client, from the schema; the client's table of routes, from the contracts.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { refuseUnknownOptions } from './parts/help.mjs';
import { isMain, ROOT, run } from './parts/lib.mjs';
import { generateRoutes } from './parts/routes.mjs';

const OUTPUT = join(ROOT, 'packages/db/src/generated');
const STAMP = join(OUTPUT, '.schema-hash');

/** Whether what is generated is not what the schema, its migrations and Prisma's version ask for. */
export function isClientStale() {
  return !existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== wantedHash();
}

/**
 * Generates the Prisma client, and the name of the migration that it needs. Nothing is downloaded: `generate` does not
 * use the engine, it only checks that the file exists.
 */
export async function generateClient() {
  const hash = wantedHash();
  const cli = join(dirname(createRequire(join(ROOT, 'package.json')).resolve('prisma/package.json')), 'build/index.js');
  await run(process.execPath, [cli, 'generate', '--no-hints'], {
    variables: { PRISMA_SCHEMA_ENGINE_BINARY: cli, PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1' },
  });
  const [baseline, newest] = [migrations().at(0), migrations().at(-1)];
  const names = `export const BASELINE = '${baseline}';\nexport const NEWEST_MIGRATION = '${newest}';\n`;
  writeFileSync(join(OUTPUT, 'newest-migration.ts'), names);
  writeFileSync(STAMP, hash);
}

function wantedHash() {
  const hash = createHash('sha256');
  hash.update(readFileSync(join(ROOT, 'prisma/schema.prisma')));
  hash.update(migrations().join());
  hash.update(JSON.parse(readFileSync(join(ROOT, 'node_modules/prisma/package.json'), 'utf8')).version);
  return hash.digest('hex');
}

/** Their names in order: the baseline is the first one. */
function migrations() {
  const folders = readdirSync(join(ROOT, 'prisma/migrations'), { withFileTypes: true });
  return folders
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

if (isMain(import.meta.url)) {
  refuseUnknownOptions(import.meta.url);
  if (isClientStale()) await generateClient();
  await generateRoutes(ROOT);
}
