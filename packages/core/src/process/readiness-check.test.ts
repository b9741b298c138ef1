import { type Check, firstFault, textOf, textsOf, waitingFor } from './readiness-check.ts';

const UNREACHABLE: Check = { state: 'unreachable', what: 'PostgreSQL at db:5432', reason: 'ECONNREFUSED' };
const UNFIT: Check = { state: 'unfit', reason: 'waiting_list is not a schema of ours: run `npm run migrate`' };

test.each<[Check, string, string]>([
  [UNREACHABLE, 'waiting for PostgreSQL at db:5432 (ECONNREFUSED)', 'waiting for PostgreSQL at db:5432 (ECONNREFUSED)'],
  [UNFIT, UNFIT.reason, `waiting: ${UNFIT.reason}`],
  [{ state: 'stopping' }, 'stopping', 'waiting: stopping'],
])('the state decides how a check is reported, not the words of its reason', (check, text, line) => {
  expect([textOf(check), waitingFor(check)]).toEqual([text, line]);
});

test('the first check that is not ok is the fault', () => {
  const checks = { database: { state: 'ok' }, schema: UNFIT, queue: UNREACHABLE } as const;
  expect(firstFault(checks)).toEqual({ name: 'schema', check: UNFIT });
  expect(firstFault({ database: { state: 'ok' } })).toBeNull();
  expect(textsOf(checks)).toMatchObject({ database: 'ok', schema: UNFIT.reason });
});
