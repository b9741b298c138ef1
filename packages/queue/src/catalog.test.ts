import { Ajv } from 'ajv';
import { JOBS, oncePerEndpoint } from './catalog.ts';

const ajv = new Ajv({ strict: false });

test('a wake-up names parcels, and needs one at least', () => {
  const isQuery = ajv.compile(JOBS.query.schema);
  expect(isQuery({ ids: ['1'], accounts: ['a'] })).toBe(true);
  expect(isQuery({ ids: [], accounts: [] })).toBe(false);
});

test('of the wake-ups of one endpoint, one waits', () => {
  const endpoint = { webhookId: '7', accountId: 'a', isFailing: false };
  expect(oncePerEndpoint(endpoint)).toEqual({ deduplication: { id: '7' } });
});
