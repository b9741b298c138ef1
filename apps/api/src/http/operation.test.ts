import { couriersV4 } from '@pts/contract/operations/compat-v4';
import { createTracking, getTracking } from '@pts/contract/operations/trackings';
import { operation, route } from './operation.ts';

const CREATED = { id: '691f0a3c5d2b4e6f8a9c0d1e', tracking_number: 'YT1', carrier: 'yto' };

test('the result of an operation has the fields of its response schema, or does not compile', () => {
  const fits = operation(createTracking, { run: async () => ({ ...CREATED, status: '查询中' as const }) });
  expect(fits).toMatchObject({ method: 'post', path: '/trackings/create' });

  // @ts-expect-error: `status` under another name
  operation(createTracking, { run: async () => ({ ...CREATED, state: '查询中' as const }) });
  // @ts-expect-error: no status that the schema knows
  operation(createTracking, { run: async () => ({ ...CREATED, status: 'pending' as const }) });
  // @ts-expect-error: an optional field under another name
  operation(createTracking, { run: async () => ({ ...CREATED, status: '查询中' as const, detected: 'yto' }) });
  // @ts-expect-error: a part of what it takes
  operation(getTracking, { run: async () => CREATED });
  // @ts-expect-error: an item of a list without most of its fields
  route(couriersV4, { run: async () => [{ courier_code: 'yto' }] });
});

test('the input of an operation has the type of its request schema', () => {
  operation(createTracking, {
    async run(_deps, _caller, input) {
      // @ts-expect-error: the field is called `tracking_number`
      input.number satisfies unknown;
      return { ...CREATED, tracking_number: input.tracking_number satisfies string, status: '查询中' as const };
    },
  });
});
