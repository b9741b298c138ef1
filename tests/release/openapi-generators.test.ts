import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiDocument } from '../../apps/api/src/reference/operations.ts';
import { testWith } from '../support/languages/languages.ts';
import { faultsOfNames, faultsOfSchemas, operationsIn } from '../support/openapi-rules.ts';

const document = apiDocument();
const { schemas } = document.components;

/** Published operations. Code calls them by these names, so none may be removed or renamed. */
const PUBLISHED = [
  ...['registerWebhook', 'testWebhook', 'listDeliveries', 'explainDelivery', 'redeliver', 'listWebhooks'],
  ...['updateWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'checkWebhook', 'startReplay', 'listReplays'],
  ...['cancelReplay', 'createTracking', 'getTrackings', 'createTrackings', 'submitTrackings', 'streamBatch'],
  ...['listShipments', 'retrackTracking', 'retrackByNumber', 'getTracking', 'updateTracking', 'deleteTracking'],
  ...['explainTracking', 'listEvents', 'detectCarrier', 'detectCourier', 'listCouriers', 'getMe', 'getAccount'],
  ...['onTrackingUpdate', 'onTrackingDelivered', 'onTrackingException', 'onPing', 'receiveCallback'],
];

describe('for code generators, the document', () => {
  test('has only schemas that all of them support', () => {
    expect(faultsOfSchemas(document)).toEqual([]);
  });

  test('has unique names that are valid in code', () => {
    expect(faultsOfNames(document)).toEqual([]);
  });

  test('keeps the names of its operations', () => {
    expect(operationsIn(document).map(({ id }) => id)).toEqual(expect.arrayContaining(PUBLISHED));
  });

  test('says that a time without a zone does not follow RFC 3339', () => {
    const { created_at } = (schemas.Webhook as { properties: Record<string, { description: string }> }).properties;
    expect(created_at?.description).toContain('without a zone suffix');
  });
});

/** The document with one schema more. */
const withSchema = (schema: object, name = 'Added') => ({
  ...document,
  components: { ...document.components, schemas: { ...schemas, [name]: schema } },
});
const withProperty = (schema: object) => withSchema({ type: 'object', properties: { added: schema } });
const [one, two] = [{ $ref: '#/components/schemas/Tracking' }, { $ref: '#/components/schemas/Shipment' }];

test.each([
  ['a boolean constant', { const: true }, /is a constant/],
  ['an enum of booleans', { type: 'boolean', enum: [true] }, /an enum of other values/],
  ['an enum with null', { type: ['string', 'null'], enum: ['a', null] }, /an enum of other values/],
  ['a nested object', { type: 'object', properties: {} }, /an object without a title/],
  ['a nested map', { type: ['object', 'null'], additionalProperties: { type: 'string' } }, /an object without a title/],
  ['nameless alternatives', { anyOf: [one, two] }, /alternatives and no title/],
  ['an empty schema', {}, /has no type/],
  ['an allOf', { allOf: [one] }, /composed with allOf/],
  ['a described reference', { ...one, description: 'A tracking.' }, /keywords next to \$ref/],
  ['two types', { type: ['string', 'integer'] }, /several types/],
  ['an array among alternatives', { anyOf: [one, { type: 'array', items: one }] }, /an array as an alternative/],
  ['alternatives without discriminator', { oneOf: [one, two] }, /no property distinguishes/],
  ['Chinese values without names', { type: 'string', enum: ['已签收'] }, /values without names/],
  ['a time without format', { type: 'string', examples: ['2025-11-21T00:30:00Z'] }, /without format/],
  [
    'a format on a time without zone',
    { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T[\\d:]{8}$', format: 'date-time' },
    /no zone/,
  ],
])('%s is found', (_, schema, fault) => {
  expect(faultsOfSchemas(withProperty(schema)).join('\n')).toMatch(fault);
});

test.each([
  ['a type by the name of a request', withSchema({ type: 'object' }, 'CreateTrackingRequest'), /may be generated/],
  ['a type that differs in case only', withSchema({ type: 'object' }, 'StreamIteM'), /there twice/],
  ['a type with a space', withSchema({ type: 'object' }, 'A parcel'), /not a valid type name/],
  [
    'a push among the calls',
    { ...document, webhooks: { more: { post: { operationId: 'onMore', tags: ['Webhooks'] } } } },
    /onMore is not x-internal[\s\S]*onMore has the tag of calls/,
  ],
])('%s is found', (_, broken, fault) => {
  expect(faultsOfNames(broken).join('\n')).toMatch(fault);
});

type Generator = {
  name: string;
  find(): string[] | null;
  check(command: string[], document: string, folder: string): Promise<void>;
};
/** The build scripts are JavaScript. */
const { GENERATORS } = (await import(join(import.meta.dirname, '../../scripts/clients/generators.mjs'))) as {
  GENERATORS: Generator[];
};

for (const { name, find, check } of GENERATORS) {
  const command = find();
  const lacks = command === null ? 'it is not installed' : undefined;
  testWith(
    name,
    lacks,
    `${name} generates code that compiles`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pts-openapi-'));
      try {
        const file = join(folder, 'openapi.json');
        writeFileSync(file, JSON.stringify(apiDocument('https://tracking.example.cn')));
        mkdirSync(join(folder, 'code'));
        await check(command ?? [], file, join(folder, 'code'));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    900_000,
  );
}
