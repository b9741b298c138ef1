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
