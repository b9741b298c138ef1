// npm run generate: the Prisma client, from the schema; the client's table of routes, from the contracts.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { loadModule } from './parts/bundling/builds.mjs';
import { refuseUnknownOptions } from './parts/help.mjs';
import { isMain, ROOT, run } from './parts/lib.mjs';

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

/** Writes the table from which clients call, as the contracts of the operations declare it. */
async function generateRoutes() {
  const file = join(ROOT, 'packages/contract/src/routes.ts');
  const { CONTRACTS } = (await loadModule('packages/contract/src/contracts.ts')).module;
  await (await import('esbuild')).stop();
  // The exports of a module have no order: that of their texts is the one in which a reader meets them.
  const placeOf = ({ contract, file }) => readFileSync(join(ROOT, file), 'utf8').indexOf(`id: '${contract.doc.id}'`);
  const inOrder = [...new Set(CONTRACTS.map(({ file }) => file))].flatMap((file) =>
    CONTRACTS.filter((one) => one.file === file).sort((a, b) => placeOf(a) - placeOf(b)),
  );
  const text = tableOf(inOrder.map(({ contract }) => contract));
  if (readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

const tableOf = (contracts) => `// Written by \`npm run generate\`: change the contracts beside it.
import type { RouteLine } from './operation.ts';

/** How to call each operation of the API, by its id: the part of the contracts that clients contain. */
// biome-ignore format: one operation per line is readable as a table
export const ROUTES = {
${contracts.map(lineOf).join('\n')}
} as const satisfies Record<string, RouteLine>;

export type OperationId = keyof typeof ROUTES;
`;

function lineOf({ doc, ...contract }) {
  const fields = ['method', 'path', 'limit', 'repeat'].map((field) => `${field}: '${contract[field]}'`);
  return `  ${doc.id}: { ${fields.join(', ')} },`;
}

if (isMain(import.meta.url)) {
  refuseUnknownOptions(import.meta.url);
  if (isClientStale()) await generateClient();
  await generateRoutes();
}
