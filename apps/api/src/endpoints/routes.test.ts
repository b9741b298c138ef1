import { ROUTES } from '@pts/contract/routes';
import { operations, operatorOperations } from './index.ts';

test('the table of routes, from which clients call, has every operation under its id in the reference, and no other', () => {
  const offered = [...operations, ...operatorOperations].map(({ doc, method, path, limit }) => [
    doc.id,
    { method, path, limit },
  ]);
  const known = Object.entries(ROUTES).map(([id, { repeat: _repeat, ...route }]) => [id, route]);
  expect(Object.fromEntries(offered)).toEqual(Object.fromEntries(known));
});
