import { toSnakeCase } from '@pts/core/snake-case';
import { TRACKING_FIELDS } from '@pts/core/tracking/fields';
import { INPUT_NAMES } from '@pts/db/trackings/inputs';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
}, 60_000);
afterAll(() => api.close());

const FIELDS = Object.entries(TRACKING_FIELDS).map(([name, { schema }]) => [name, schema.examples[0]] as const);

/**
 * What a field costs: its column, its line in `inputs.ts` and its schema in the contract. The rest derives from these.
 */
test('every field that the contract takes with a number is stored, returned, changed and cleared', async () => {
  expect(INPUT_NAMES.map((name) => toSnakeCase(name)).sort()).toEqual(FIELDS.map(([name]) => name).sort());
  const { key } = await api.account();
  const call = async (method: string, path: string, body?: object) =>
    (await api.call(method, path, { key, ...(body && { body }) })).body.data;
  const { id } = await call('POST', '/trackings/create', { tracking_number: 'YT8962646785999' });
  const path = `/trackings/${id}`;
  expect(Object.keys(await call('GET', path))).not.toEqual(expect.arrayContaining(FIELDS.map(([name]) => name)));
  for (const [name, example] of FIELDS) {
    expect(await call('PATCH', path, { [name]: example })).toMatchObject({ [name]: example });
    expect(await call('PATCH', path, { [name]: null })).not.toHaveProperty(name);
  }
  const all = { tracking_number: 'YT8962646785988', ...Object.fromEntries(FIELDS) };
  const { id: other } = await call('POST', '/trackings/create', all);
  expect(await call('GET', `/trackings/${other}`)).toMatchObject(Object.fromEntries(FIELDS));
});

test('the answer shows metadata in the order in which it is stored', async () => {
  const { key } = await api.account();
  const body = { tracking_number: 'YT8962646785977', metadata: { warehouse: 'ningbo', id: '7', a: 'first' } };
  const { data } = (await api.call('POST', '/trackings/create', { key, body })).body;
  const stored = (await api.call('GET', `/trackings/${data.id}`, { key })).body.data;
  expect(Object.entries(data.metadata)).toEqual(Object.entries(stored.metadata));
});

const INPUTS = { order_id: 'B-2', title: 'Red boots', metadata: { shop: 'ningbo' } };
const V4_INPUTS = { order_number: 'B-2', title: 'Red boots', note: 'ningbo' };

/** The ways of registering, each with the fields of the answer about its number. */
const WAYS: Record<string, (send: Send, number: string, isNew: boolean) => Promise<unknown>> = {
  create: async (send, tracking_number) => (await send('/trackings/create', { tracking_number, ...INPUTS })).data,
  batch: async (send, tracking_number) =>
    (await send('/trackings/batch', [{ tracking_number, ...INPUTS }])).data.success[0],
  async: async (send, tracking_number, isNew) => {
    expect(await send('/track/async', [{ tracking_number, ...INPUTS }])).toMatchObject({ data: { accepted: 1 } });
    return { ...INPUTS, created: isNew, charged: isNew ? 1 : 0 };
  },
  'v4 create': async (send, tracking_number, isNew) => {
    const body = { tracking_number, courier_code: 'yto', ...V4_INPUTS };
    expect((await send('/v4/trackings/create', body)).data).toMatchObject({ order_number: 'B-2' });
    return { ...INPUTS, metadata: { note: 'ningbo' }, created: isNew, charged: isNew ? 1 : 0 };
  },
};
type Send = (path: string, body: object) => Promise<{ data: { success: unknown[] } }>;

describe.each(Object.entries(WAYS))('%s', (_name, way) => {
  test('says whether the number is new and charged, and stores the fields that it is registered with now', async () => {
    const { key } = await api.account();
    const send: Send = async (path, body) => {
      const url = path.startsWith('/v4') ? `${api.url}${path}` : path;
      const { status, body: answer } = await api.call('POST', url, { key, body });
      expect(status).toBe(200);
      return answer as never;
    };
    const used = async () => (await api.call('GET', '/account', { key })).body.data.quota_used;
    const stored = async (number: string) =>
      (await api.call('GET', `/trackings/get?tracking_numbers=${number}`, { key })).body.data.success[0];
    const fresh = await way(send, 'YT8962646785901', true);
    expect(fresh).toMatchObject({ created: true, charged: 1, order_id: 'B-2', title: 'Red boots' });
    expect(await used()).toBe(1);
    await send('/trackings/create', {
      tracking_number: 'YT8962646785902',
      courier_code: 'yto',
      phone: '5678',
      title: 'Old',
      metadata: { old: 'yes' },
    });
    const known = (await way(send, 'YT8962646785902', false)) as object;
    expect(known).toMatchObject({ created: false, charged: 0, order_id: 'B-2', title: 'Red boots' });
    expect(await used()).toBe(2);
    const { created, charged, id, ...fields } = known as Record<string, unknown>;
    const record = await stored('YT8962646785902');
    expect(record).toMatchObject({ ...fields, phone: '5678' });
    expect(record.metadata).toEqual(fields.metadata);
  });
});

test('an empty text counts as not given in a registration, and clears in a change', async () => {
  const { key } = await api.account();
  const texts = FIELDS.filter(([, example]) => typeof example === 'string');
  const empty = Object.fromEntries(texts.map(([name]) => [name, '']));
  const body = { tracking_number: 'YT8962646785977', ...empty };
  const { status, body: created } = await api.call('POST', '/trackings/create', { key, body });
  expect(status).toBe(200);
  const path = `/trackings/${created.data.id}`;
  const changed = await api.call('PATCH', path, { key, body: Object.fromEntries(texts) });
  expect(changed.body.data).toMatchObject(Object.fromEntries(texts));
  const cleared = await api.call('PATCH', path, { key, body: empty });
  expect(cleared.status).toBe(200);
  for (const [name] of texts) expect(cleared.body.data).not.toHaveProperty(name);
});
