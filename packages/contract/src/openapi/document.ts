import { ERRORS } from '@pts/core/errors';
import { type Message, message } from '@pts/core/languages/message';
import { EVENT_KINDS } from '@pts/core/tracking/status';
import { envelope, pageLimit, pageLimitAsNumber, SUCCESS_MESSAGE, SUCCESS_NUMBER } from '../common.ts';
import { lastEvents, lastEventsAsNumber } from '../events.ts';
import { sizeText } from '../limits.ts';
import { type Media, type Operation, type Parameters, TAGS, type Tag, templateOf } from '../operation.ts';
import { TRACKING_PAGE_PATH, trackingPageOperation } from '../pages.ts';
import { pushCallbacks, webhooksSection } from '../pushes.ts';
import { createReferences, HEADERS, headerRefs, LIMIT_HEADERS, type References } from './components.ts';
import { errorResponses, sharedResponses } from './errors.ts';

type About = {
  /** The version of the service. */
  version: string;
  /** How clients reach the API; absent: at the URL of the document. */
  baseUrl?: string | undefined;
};

/** An OpenAPI 3.1 document, as far as it is read here. */
export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string } & Record<string, unknown>;
  servers: { url: string; description: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  webhooks: Record<string, object>;
  components: { schemas: Record<string, object> } & Record<string, object>;
} & Record<string, unknown>;

type OperationObject = { operationId: string; responses: Record<string, object> } & Record<string, unknown>;

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of your cached response.',
  schema: { type: 'string' },
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Your own key for this request, such as a UUID (1 to 255 visible ASCII characters). For 24 hours, the same request with the same key is not carried out again but gets the same status and body, with `Idempotency-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

const SECURITY_SCHEMES = {
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description:
      'Your API key: `tk_` followed by 48 lowercase hexadecimal characters. Each operation states the scope that the key needs: `read`, `write`, `webhooks` or `admin`.',
  },
  CompatibilityKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Tracking-Api-Key',
    description:
      'The same key under the name that the API family uses. If both are sent, `X-API-Key` takes precedence.',
  },
  BearerKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same key as `Authorization: Bearer tk_…`. The other two headers take precedence.',
  },
};

const OPERATOR_SCHEMES = {
  OperatorKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description:
      'The key of a platform: `otk_` followed by 48 lowercase hexadecimal characters. It only manages accounts, on installations with `OPERATOR_API` on. The other headers for keys accept it, too.',
  },
};

/** One of them is enough. Some code generators see it only at each operation. */
const [SECURITY, OPERATOR_SECURITY] = [SECURITY_SCHEMES, OPERATOR_SCHEMES].map((schemes) =>
  Object.keys(schemes).map((name) => ({ [name]: [] })),
);

/** The OpenAPI 3.1 document of the API, made from its operations and their schemas. */
export function openApiDocument(operations: readonly Operation[], { version, baseUrl }: About): OpenApiDocument {
  const references = createReferences();
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations) {
    const path = templateOf(operation.path);
    paths[path] = { ...paths[path], [operation.method]: describe(operation, operations, references) };
  }
  paths[TRACKING_PAGE_PATH] = { get: trackingPageOperation(references, rootOf(baseUrl)) };
  const webhooks = webhooksSection(references);
  const responses = sharedResponses(references);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parcel Tracking Service',
      version,
      summary: 'Register parcels, track them, and receive every change as a push.',
      description: OVERVIEW,
      contact: { name: 'The operator of this installation' },
      license: { name: 'As agreed with the operator of this installation', identifier: 'LicenseRef-Operator' },
    },
    servers: serversOf(baseUrl),
    security: SECURITY,
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: references.schemas(),
      responses,
      headers: HEADERS,
      securitySchemes: { ...SECURITY_SCHEMES, ...OPERATOR_SCHEMES },
    },
  };
}

function serversOf(baseUrl: string | undefined): OpenApiDocument['servers'] {
  const own = { url: '/api/v1', description: 'The server of this document' };
  return baseUrl === undefined ? [own] : [{ url: `${rootOf(baseUrl)}/api/v1`, description: 'The API' }];
}

/** The beginning of the paths of the API and the addresses of pages. */
function rootOf(baseUrl = ''): string {
  return baseUrl.replace(/\/{1,99}$/, '');
}

function describe(operation: Operation, all: readonly Operation[], references: References): OperationObject {
  const { doc, scope, status = 200, cacheable, isKeyed } = operation;
  const { parameters, body } = splitInput(operation);
  const given = [
    ...parameters.map(references.refer),
    ...(cacheable ? [IF_NONE_MATCH] : []),
    ...(isKeyed ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId: doc.id,
    tags: [doc.tag satisfies Tag],
    security: scope === 'operator' ? OPERATOR_SECURITY : SECURITY,
    ...(scope === null ? {} : { 'x-scope': scope }),
    summary: doc.summary,
    description: [doc.description ?? [], rulesOf(operation, all)].flat().join('\n\n'),
    ...(given.length > 0 ? { parameters: given } : {}),
    ...(body ? { requestBody: requestBody(operation, body, references) } : {}),
    responses: {
      [status]: success(operation, references),
      ...(cacheable ? { '304': notModified() } : {}),
      ...errorResponses(operation, references),
    },
    ...(body ? { 'x-body-limit': { bytes: operation.bodyBytes } } : {}),
    ...(doc.registersReceiver ? { callbacks: pushCallbacks(references) } : {}),
    'x-rate-limit': {
      name: operation.limit.name,
      requests: operation.limit.perSecond,
      seconds: 1,
      per: scope === 'operator' ? 'operator key' : 'account',
    },
  };
}

/** The rules of an operation that its schemas do not state, each a paragraph: its scope, its limit, its body. */
export function rulesOf({ doc, scope, limit, input, bodyBytes }: Operation, all: readonly Operation[]): Message[] {
  const sharing = all.filter((other) => other.limit.name === limit.name && other.doc.id !== doc.id);
  const body = { size: sizeText(bodyBytes), decompressed: input === 'file' ? '' : message('operation.decompressed') };
  return [
    scopeOf(scope),
    message('operation.limit', {
      requests: limit.perSecond,
      holder: message(scope === 'operator' ? 'operation.for_operator_key' : 'operation.for_account'),
      shared:
        sharing.length === 0 ? '' : message('operation.shared', { ids: sharing.map((other) => `\`${other.doc.id}\``) }),
    }),
    ...(input === 'file' || input === 'body' ? [message('operation.body', body)] : []),
  ];
}

function scopeOf(scope: Operation['scope']): Message {
  if (scope === 'operator') return message('operation.operator_key');
  return scope === null ? message('operation.any_key') : message('operation.scope', { scope });
}

function requestBody({ doc }: Operation, body: object, references: References): object {
  const required = !doc.bodyIsOptional;
  const example = doc.example?.request;
  const json = { schema: body, ...(example === undefined ? {} : { example }) };
  return { required, content: contentOf(doc.media?.request ?? { 'application/json': json }, references) };
}

function success({ doc, response, status, cacheable, isKeyed }: Operation, references: References): object {
  const example = doc.example?.response;
  const around = { code: SUCCESS_NUMBER, meta: SUCCESS_NUMBER, message: SUCCESS_MESSAGE };
  const json = {
    schema: { title: `${doc.id.replace(/^./, (first) => first.toUpperCase())}Envelope`, ...envelope(response) },
    ...(example === undefined ? {} : { example: { ...around, data: example } }),
  };
  return {
    description: status === 202 ? 'The request was accepted.' : 'The request succeeded.',
    headers: headerRefs([
      'X-Request-Id',
      ...LIMIT_HEADERS,
      ...(cacheable ? (['ETag'] as const) : []),
      ...(isKeyed ? (['Idempotency-Replayed'] as const) : []),
    ]),
    content: contentOf(doc.media?.response ?? { 'application/json': json }, references),
  };
}

function notModified(): object {
  return {
    description: 'Your cached response is still current.',
    headers: headerRefs(['X-Request-Id', ...LIMIT_HEADERS, 'ETag']),
  };
}

function contentOf(media: Readonly<Record<string, Media>>, references: References): Record<string, object> {
  return Object.fromEntries(
    Object.entries(media).map(([type, { schema, ...more }]) => [type, { schema: references.refer(schema), ...more }]),
  );
}

/** The introduction of the API reference; Markdown. */
const OVERVIEW = `### Getting started

1. Send your API key with every request: \`X-API-Key: tk_…\`.
2. Register a number with \`POST /trackings/create\`. It uses one unit of the monthly quota.
3. Receive changes: \`POST /webhooks\` registers a URL for pushes (${EVENT_KINDS.map((kind) => `\`${kind}\``).join(', ')}), \`GET /events\`
   returns the same events in order, and \`GET /shipments\` lists the current state of your parcels.

### Requests and responses

URLs are ASCII: percent-encode the UTF-8 bytes of all other characters (\`status=%E6%B4%BE%E9%80%81%E4%B8%AD\`). A URL that is not
encoded, or is larger than 16 KiB together with its headers, is refused with ${ERRORS.bad_request.http}. A parameter that the operation does
not have is refused with ${ERRORS.invalid_field.number}, because a misspelled filter would give wrong data. Unknown fields of a body
are ignored, but refused where the operation would do more than was meant: in new keys, bulk actions, replays, and changes of webhooks
and of tracking pages; and in test pushes, if they look like a misspelt field. An \`id\` in the body that is not the one in the path is
refused, too.

Every response is JSON in the same envelope: \`code\`, \`meta\`, \`message\`, \`data\`. On success, \`code\` and \`meta\` are \`200\`. On an
error they contain the error number, \`message\` says what to do, and \`data.errors\` lists all invalid fields. Write your code against
\`code\`: the wording of a message may change. Responses may get new fields at any time, so ignore fields that you do not know.

In addition to the errors listed with each operation, an unknown path returns ${ERRORS.not_found.http}, and an unsupported method returns
${ERRORS.method_not_allowed.http} with \`Allow\`. No response may be kept by a cache (\`Cache-Control: no-store\`); an \`ETag\` is for your own store.

### API keys

A key has scopes: \`read\` (parcels, events, carriers, the account), \`write\` (register, change, remove and retrack parcels), \`webhooks\`
(everything under \`/webhooks\`) and \`admin\` (everything under \`/keys\`). Each operation states the one that it needs; a key without it
gets ${ERRORS.forbidden.http}. A key may also have an end and networks: after its end it gets ${ERRORS.unauthorized.http}, from elsewhere ${ERRORS.forbidden.http}. \`POST /keys\` creates a
key, with no more than the key that creates it has; give each system a key of its own, with what it needs.

### Check intervals

A new parcel is checked at once; its carrier takes 3 to 15 seconds to answer. After that, it is checked every 5 minutes if the account has
an enabled webhook and every 60 minutes otherwise, ±10 %, but never more often than the carrier's provider allows (30 minutes for
Kuaidi100). \`watch\` and \`next_check_at\` show the schedule of a tracking. A parcel that has arrived is checked one last time after 24
hours; a parcel without news for 30 days expires. While a provider is failing or its daily budget is used up, checks wait until
\`next_check_at\`. Reading a tracking does not trigger a check; \`POST /trackings/retrack\` does, once an hour.

### Limits

Each operation has a limit of requests per second for each account (\`x-rate-limit\`). Operations with the same limit share it. The
\`RateLimit-*\` headers show how many requests are left and in how many seconds the window ends (\`RateLimit-Reset\`, usually 1). After a
${ERRORS.too_many_requests.http}, wait 120 seconds (\`Retry-After\`), although the window ends sooner: waiting only for the window hits the limit
again. Installations can change these limits. Each operation states its maximum body size. JSON with more than 32 levels, more than
4,000 fields, objects and lists, or more than 12,000 values, is rejected. Lines (\`application/x-ndjson\`) can hold more. To follow many parcels, do not poll \`GET /trackings/get\`: receive pushes or read \`GET /events\`.

### Repeating a request

Registering a number again returns the existing tracking and costs nothing, so a request that may have been lost can be sent again.

Any other POST can be repeated with an \`Idempotency-Key\`. The first request with it is carried out; for 24 hours, the same request (method,
address and body) gets the same status and body, with \`Idempotency-Replayed: true\`. An error leaves the
key free: the same request is carried out again, and what was refused may be allowed then. While the first one is running, and for a
different request with its key, the answer is ${ERRORS.conflict.http}. Keys belong to the account. Streams take none.`;

type ParameterSchema = {
  title?: string;
  type?: unknown;
  pattern?: string;
  description?: string;
  examples?: readonly unknown[];
};
type ObjectSchema = Parameters & { description?: string };

/** The API reads query parameters as strings; the reference shows their actual types. */
const MEANT_AS = new Map<object, object>([
  [pageLimit, pageLimitAsNumber],
  [lastEvents, lastEventsAsNumber],
]);

/** A request schema, split into parameters and body. */
type Input = { parameters: object[]; body: object | null };

/** Splits an operation's one request schema into parameters of the path, parameters of the query, and the body. */
function splitInput(operation: Operation): Input {
  const { path, input, request, doc } = operation;
  const names = namesIn(path);
  const schema = isObjectSchema(request) ? request : { properties: {} };
  const inPath = names.map((name) => parameter('path', name, schema.properties[name] ?? { type: 'string' }, true));
  const headers = Object.entries(doc.headers?.properties ?? {}).map(([name, each]) =>
    parameter('header', name, each, false),
  );
  if (input === 'query' || input === 'file') {
    // The media types of its documentation describe a file.
    const body = input === 'file' ? {} : null;
    return { parameters: [...inPath, ...queryOf(queryParameters(operation), doc.example?.request), ...headers], body };
  }
  const rest = without(schema, names);
  const query = queryOf(queryParameters(operation));
  const body = input === 'body' ? (doc.requestBody ?? (isObjectSchema(request) ? rest : request)) : null;
  return { parameters: [...inPath, ...query, ...headers], body: names.length === 0 && body === rest ? request : body };
}

/** The parameters in the query of an operation: the reference shows them, and the API refuses any other. */
export function queryParameters({
  path,
  input,
  request,
  doc,
}: Pick<Operation, 'path' | 'input' | 'request' | 'doc'>): Parameters {
  if (input !== 'query' && input !== 'file') return doc.query ?? { properties: {} };
  return isObjectSchema(request) ? without(request, namesIn(path)) : { properties: {} };
}

/** The names of the parameters in a path. */
export function namesIn(path: string): string[] {
  return [...templateOf(path).matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
}

function queryOf({ properties, required = [] }: Parameters, example: unknown = {}): object[] {
  return Object.entries(properties).map(([name, schema]) => {
    const shown = (example as Record<string, unknown>)[name];
    return parameter('query', name, schema, required.includes(name), shown);
  });
}

/** A parameter has its description next to its schema, not in it. */
function parameter(place: string, name: string, schema: object, required: boolean, shown?: unknown): object {
  const actual: ParameterSchema = MEANT_AS.get(schema) ?? asJson(schema);
  const { description, examples, ...rest } = actual;
  // With a title, it is a schema that others refer to as well.
  const meant = actual.title === undefined ? rest : actual;
  const example = shown ?? examples?.[0];
  return {
    name,
    in: place,
    required,
    ...(description === undefined ? {} : { description }),
    schema: meant,
    ...(example === undefined ? {} : { example: meant.type === 'integer' ? Number(example) : example }),
  };
}

/**
 * A parameter that is an object is described as its JSON: generated clients in several languages cannot compile or send
 * `deepObject` with names that the document does not know.
 */
function asJson(schema: ParameterSchema): ParameterSchema {
  if (schema.type !== 'object') return schema;
  const { description, examples = [] } = schema;
  return {
    type: 'string',
    pattern: '^\\{.*\\}$',
    ...(description === undefined ? {} : { description }),
    examples: examples.map((example) => JSON.stringify(example)),
  };
}

function without(schema: ObjectSchema, names: readonly string[]): ObjectSchema {
  const required = (schema.required ?? []).filter((name) => !names.includes(name));
  const properties = Object.fromEntries(Object.entries(schema.properties).filter(([name]) => !names.includes(name)));
  const { required: _required, ...rest } = schema;
  return { ...rest, properties, ...(required.length > 0 ? { required } : {}) };
}

function isObjectSchema(schema: object): schema is ObjectSchema {
  return 'properties' in schema;
}
