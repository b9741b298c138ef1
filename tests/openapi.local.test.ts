import { BODY_BYTES, LIMITS, sizeText } from '@pts/contract/limits';
import { EVENT_KINDS } from '@pts/core/tracking/status';
import { verify } from '@pts/webhook-verifier/verify';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Webhook } from 'standardwebhooks';
import { apiDocument, operations as ofAccounts, operatorOperations } from '../apps/api/src/endpoints/index.ts';

type Parameter = { name: string; description?: string; example?: unknown };
type Described = {
  operationId: string;
  description: string;
  parameters?: Parameter[];
  responses: Record<string, object>;
  'x-rate-limit'?: { name: string; requests: number };
};

const table = [...ofAccounts, ...operatorOperations];
/** Published operations. Code calls them by these names, so none may be removed or renamed. */
const PUBLISHED = [
  ...['registerWebhook', 'testWebhook', 'listDeliveries', 'explainDelivery', 'redeliver', 'listWebhooks'],
  ...['updateWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'checkWebhook', 'startReplay', 'listReplays'],
  ...['cancelReplay', 'createTracking', 'getTrackings', 'createTrackings', 'submitTrackings', 'streamBatch'],
  ...['listShipments', 'retrackTracking', 'retrackByNumber', 'getTracking', 'updateTracking', 'deleteTracking'],
  ...['explainTracking', 'listEvents', 'detectCarrier', 'detectCourier', 'listCouriers', 'getMe', 'getAccount'],
  ...['onTrackingUpdate', 'onTrackingDelivered', 'onTrackingException', 'onPing', 'receiveCallback'],
];

const document = apiDocument();
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    route: `${method} ${path}`,
    operation: operation as Described,
  })),
);

/** Every object in the document, with its path. */
function* nodes(node: unknown, way = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof node !== 'object' || node === null) return;
  yield [way, node as Record<string, unknown>];
  for (const [key, value] of Object.entries(node)) {
    if (!['example', 'examples', 'enum'].includes(key)) yield* nodes(value, `${way}/${key}`);
  }
}

describe('the OpenAPI document', () => {
  test('lists every endpoint, and no other', () => {
    const routes = table.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    // The page of a parcel is not one of the operations: it needs no key.
    expect(operations.map(({ route }) => route).sort()).toEqual([...routes, 'get /t/{token}.json'].sort());
  });

  test('keeps the names of its operations', () => {
    const ids = [...JSON.stringify(document).matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(expect.arrayContaining(PUBLISHED));
  });

  test('passes a strict linter', async () => {
    // The linter does not know the format of ids; the test below does.
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: { 'no-ambiguous-paths': 'off' },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
    const problemTexts = problems.map(
      ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`,
    );
    expect(problemTexts).toEqual([]);
  }, 60_000);

  test('has one operation for every request: no id looks like a literal path segment', () => {
    const ambiguous = operations.flatMap(({ route }) => {
      const request = route.replaceAll(/\{\w+\}/g, '69201f4c1b9e0c5a7d3f2e61');
      const fitting = operations.filter((other) =>
        new RegExp(`^${other.route.replaceAll(/\{\w+\}/g, '[0-9a-f]+')}$`).test(request),
      );
      return fitting.length === 1 ? [] : [fitting.map((other) => other.route)];
    });
    expect(ambiguous).toEqual([]);
  });

  test('says what every field means', () => {
    const undescribed = Array.from(nodes(document)).flatMap(([way, node]) =>
      Object.entries((node.properties ?? {}) as Record<string, Record<string, unknown>>)
        .filter(([, schema]) => !('description' in schema || '$ref' in schema))
        // A response has the operation's description; its error numbers are those of the envelope.
        .filter(([name]) => !(name === 'data' && way.includes('/responses/')) && !way.includes('/allOf/'))
        .map(([name]) => `${way}/properties/${name}`),
    );
    expect(undescribed).toEqual([]);
    const parameters = operations.flatMap(({ route, operation }) =>
      (operation.parameters ?? []).filter(({ description }) => !description).map(({ name }) => `${route} ${name}`),
    );
    expect(parameters).toEqual([]);
  });

  test('shows a response of every operation, and a body of each that accepts one', () => {
    const silent = table.filter(({ input, doc }) => {
      const { request, response } = doc.example ?? {};
      return (
        (response === undefined && doc.media === undefined) ||
        (input === 'body' && request === undefined && doc.media === undefined)
      );
    });
    expect(silent.map(({ doc }) => doc.id)).toEqual([]);
  });

  test('states the limits that the API enforces', () => {
    for (const { operation } of operations) {
      const limit = operation['x-rate-limit'];
      expect(LIMITS).toHaveProperty([limit?.name ?? ''], limit?.requests);
      expect(operation.description).toContain(`**Limit:** ${limit?.requests} request`);
    }
  });

  test('states how large a body may be, in words and in the refusal of a larger one', () => {
    const limits = new Map(
      table.map(({ method, path, bodyBytes = BODY_BYTES.single }) => [
        `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
        bodyBytes,
      ]),
    );
    const withBody = operations.filter(({ operation }) => 'requestBody' in operation);
    expect(withBody.length).toBeGreaterThan(8);
    for (const { route, operation } of withBody) {
      const bytes = limits.get(route) ?? 0;
      expect(operation).toMatchObject({ 'x-body-limit': { bytes } });
      expect(operation.description).toContain(`**Body:** at most ${sizeText(bytes)}`);
      expect(operation.responses['413']).toMatchObject({ description: expect.stringContaining(sizeText(bytes)) });
    }
  });

  test('has schemas that are valid JSON Schema 2020-12', () => {
    const formats = { 'date-time': true } as const;
    const ajv = new Ajv2020({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      allowUnionTypes: true,
      formats,
    });
    ajv.addVocabulary(['discriminator', 'x-enum-varnames', 'x-enumNames', 'x-enum-descriptions']);
    const root = { $id: 'openapi', $defs: document.components.schemas };
    const schema = JSON.parse(JSON.stringify(root).replaceAll('#/components/schemas/', '#/$defs/'));
    expect(ajv.validateSchema(schema)).toBe(true);
    ajv.addSchema(schema);
    const names = Object.keys(document.components.schemas);
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) expect(ajv.getSchema(`openapi#/$defs/${name}`)).toBeInstanceOf(Function);
  });

  test('has only schemas and names from which code generators make good code', () => {
    const isComponent = (way: string) => /^#\/components\/schemas\/\w+$/.test(way);
    // Its constants would be named after its field, which others may have as well.
    const isUnnamedChoice = (way: string, { type, enum: values }: { type?: unknown; enum?: unknown[] }) =>
      type === 'string' && values !== undefined && !isComponent(way);
    // In generated code, the property would hide the type.
    const isNamedAfterProperty = (way: string, { properties = {} }: { properties?: object }) =>
      Object.keys(properties).some((name) => name.replaceAll('_', '') === way.replace(/^.*\//, '').toLowerCase());
    const faults = Array.from(nodes(document.components.schemas, '#/components/schemas')).flatMap(([way, node]) => {
      const { type, oneOf, discriminator } = node as { type?: unknown; oneOf?: unknown[]; discriminator?: object };
      const isNamedObject = 'properties' in node && type !== undefined;
      return [
        ...('const' in node ? [`${way} is a constant`] : []),
        ...('allOf' in node ? [`${way} is composed with allOf`] : []),
        ...('$ref' in node && Object.keys(node).length > 1 ? [`${way} has keywords next to $ref`] : []),
        ...(isNamedObject && !isComponent(way) ? [`${way} is an object without a title`] : []),
        ...(Array.isArray(type) && (type.length !== 2 || type[1] !== 'null') ? [`${way} has several types`] : []),
        ...(isUnnamedChoice(way, node) ? [`${way} is an enumeration without a title`] : []),
        ...(oneOf && !discriminator ? [`${way} has alternatives that no property distinguishes`] : []),
        // Generated code parses a `date-time` into an object, which no pattern fits.
        ...('pattern' in node && 'format' in node ? [`${way} has a pattern beside its format`] : []),
        ...(isComponent(way) && isNamedAfterProperty(way, node) ? [`${way} is named like one of its properties`] : []),
      ];
    });
    expect(faults).toEqual([]);
    const names = [
      ...Object.keys(document.components.schemas),
      ...operations.map(({ operation: { operationId } }) => operationId),
    ];
    const constants = Object.values(document.components.schemas).flatMap(
      (schema) => (schema as { 'x-enum-varnames'?: string[] })['x-enum-varnames'] ?? [],
    );
    const inOneNamespace = [...constants, ...Object.keys(document.components.schemas)];
    expect(new Set(inOneNamespace).size).toBe(inOneNamespace.length);
    // For file systems that ignore case.
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    // `NewWebhook` would be the constructor of `Webhook` in Go.
    const isTaken = (name: string) => /(Request|Params|Body)$|^New[A-Z]/.test(name);
    expect(names.filter((name) => !/^[A-Za-z][A-Za-z0-9]+$/.test(name) || isTaken(name))).toEqual([]);
  });

  test('names the public URL of the API, if there is one', () => {
    expect(apiDocument().servers).toMatchObject([{ url: '/api/v1' }]);
    expect(apiDocument('https://tracking.example.cn/').servers).toMatchObject([
      { url: 'https://tracking.example.cn/api/v1' },
    ]);
  });
});

describe('its pushes', () => {
  type Push = {
    post: {
      parameters: Parameter[];
      requestBody: { content: Record<string, { example: unknown }> };
      responses: object;
    };
  };
  const pushes = document.webhooks as Record<string, Push>;

  test('have all event types, with the expected responses of a receiver', () => {
    expect(Object.keys(pushes)).toEqual([...EVENT_KINDS, 'ping']);
    for (const { post } of Object.values(pushes))
      expect(Object.keys(post.responses).sort()).toEqual(['2XX', '400', '401', '410'].sort());
  });

  test('are shown with headers that a receiver accepts', () => {
    const registered = document.components.schemas.RegisteredWebhook as {
      properties: { secret: { examples: string[] } };
    };
    const [secret = ''] = registered.properties.secret.examples;
    for (const [kind, { post }] of Object.entries(pushes)) {
      const headers = Object.fromEntries(post.parameters.map(({ name, example }) => [name, String(example)]));
      const body = JSON.stringify(post.requestBody.content['application/json']?.example);
      const now = new Date(Number(headers['X-Webhook-Timestamp']) * 1000);
      expect(verify(headers, body, secret, { now })).toMatchObject({ ok: true, event: kind, attempt: 1 });
      expect(new Webhook(secret).sign(headers['webhook-id'] ?? '', now, body)).toBe(headers['webhook-signature']);
      expect(post.parameters.filter(({ description }) => !description)).toEqual([]);
    }
  });
});
