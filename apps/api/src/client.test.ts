import { OPERATIONS } from '@pts/client/operations';
import { operations } from './endpoints/index.ts';

/** Another path of an operation that the client has. */
const ALIASES = ['/couriers/detect'];

test('the client has every operation of the API, counted against the same limit', () => {
  const offered = operations
    .filter(({ path }) => !ALIASES.includes(path))
    .map(({ method, path, limit }) => `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')} ${limit}`);
  const known = Object.values(OPERATIONS).map(({ method, path, limit }) => `${method} ${path} ${limit}`);
  expect(offered.filter((operation) => !known.includes(operation))).toEqual([]);
});
