import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACTS } from './contracts.ts';
import { ROUTES } from './routes.ts';

// If this fails, run `npm run generate`.
test('the table from which clients call has every operation as its contract declares it', () => {
  const declared = CONTRACTS.map(({ contract: { doc, method, path, limit, repeat } }) => [
    doc.id,
    { method, path, limit, repeat },
  ]);
  expect(ROUTES).toEqual(Object.fromEntries(declared));
});

test('every file that declares operations is listed', () => {
  const folder = import.meta.dirname;
  const declaring = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /= define(Operation|Stream)\(/.test(readFileSync(join(folder, file), 'utf8')))
    .map((file) => `packages/contract/src/${file}`);
  expect([...new Set(CONTRACTS.map(({ file }) => file))].sort()).toEqual(declaring.sort());
});
