import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the table from which clients call, as the contracts of the operations in a checkout declare it. */
export async function generateRoutes(root) {
  const file = join(root, 'packages/contract/src/routes.ts');
  const { build, stop } = await import('esbuild');
  const entryPoints = [join(root, 'packages/contract/src/contracts.ts')];
  const { outputFiles } = await build({ entryPoints, bundle: true, platform: 'node', format: 'esm', write: false });
  await stop();
  const module = Buffer.from(outputFiles[0].contents).toString('base64');
  const { CONTRACTS } = await import(`data:text/javascript;base64,${module}`);
  // The exports of a module have no order: that of their texts is the one in which a reader meets them.
  const placeOf = ({ contract, file }) => readFileSync(join(root, file), 'utf8').indexOf(`id: '${contract.doc.id}'`);
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
