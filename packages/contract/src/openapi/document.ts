import { sizeText } from '../body-limits.ts';
import { envelope, SUCCESS_MESSAGE, SUCCESS_NUMBER } from '../common.ts';
import { createReferences, type References } from './components.ts';
import { errorResponses, sharedResponses } from './errors.ts';
import { HEADERS, headerRefs, LIMIT_HEADERS } from './headers.ts';
import { type Media, type Operation, TAGS, type Tag, templateOf } from './operation-doc.ts';
import { OVERVIEW } from './overview.ts';
import { splitInput } from './parameters.ts';
import { pushCallbacks, webhooksSection } from './pushes.ts';
import { TRACKING_PAGE_PATH, trackingPage } from './tracking-page.ts';

export type About = {
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

export type OperationObject = { operationId: string; responses: Record<string, object> } & Record<string, unknown>;

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
    'A key of your own for this request, such as a UUID: 1 to 255 visible ASCII characters. For 24 hours, the same request with the same key is not carried out again, but gets the same status and body, with `Idempotency-Replayed: true`.',
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
    description: 'The same key under the name that the API family uses. If both are sent, `X-API-Key` wins.',
  },
};

/** The OpenAPI 3.1 document of the API, made from its operations and their schemas. */
export function openApiDocument(operations: readonly Operation[], { version, baseUrl }: About): OpenApiDocument {
  const references = createReferences();
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations) {
    const path = templateOf(operation.path);
    paths[path] = { ...paths[path], [operation.method]: describe(operation, operations, references) };
  }
  paths[TRACKING_PAGE_PATH] = { get: trackingPage(references, rootOf(baseUrl)) };
  const webhooks = webhooksSection(references);
  const responses = sharedResponses(references);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parcel Tracking Service',
      version,
      summary: 'Register parcels, track them, and receive every change as a push.',
      description: OVERVIEW,
    },
    servers: serversOf(baseUrl),
    security: securityOf({ scope: null }),
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: references.schemas(),
      responses,
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function serversOf(baseUrl: string | undefined): OpenApiDocument['servers'] {
  const own = { url: '/api/v1', description: 'The server of this document' };
  return baseUrl === undefined ? [own] : [{ url: `${rootOf(baseUrl)}/api/v1`, description: 'The API' }];
}

/** What the paths of the API and the addresses of pages begin with. */
function rootOf(baseUrl = ''): string {
  return baseUrl.replace(/\/{1,99}$/, '');
}

function describe(operation: Operation, all: readonly Operation[], references: References): OperationObject {
  const { doc, status = 200, cacheable, isKeyed } = operation;
  const { parameters, body } = splitInput(operation);
  const given = [
    ...parameters.map(references.refer),
    ...(cacheable ? [IF_NONE_MATCH] : []),
    ...(isKeyed ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId: doc.id,
    tags: [doc.tag satisfies Tag],
    security: securityOf(operation),
    summary: doc.summary,
    description: [doc.description, scopeText(operation), limitText(operation, all), bodyText(operation)]
      .filter((text) => text !== undefined)
      .join('\n\n'),
    ...(given.length > 0 ? { parameters: given } : {}),
    ...(body ? { requestBody: requestBody(operation, body, references) } : {}),
    responses: {
      [status]: success(operation, references),
      ...(cacheable ? { '304': notModified() } : {}),
      ...errorResponses(operation, references),
    },
    ...(body ? { 'x-body-limit': { bytes: operation.bodyBytes } } : {}),
    ...(doc.registersReceiver ? { callbacks: pushCallbacks(references) } : {}),
    'x-rate-limit': { name: operation.limit.name, requests: operation.limit.perSecond, seconds: 1, per: 'account' },
  };
}

/** The scope that a key needs, as the role of its security requirement. */
function securityOf({ scope }: Pick<Operation, 'scope'>): Record<string, string[]>[] {
  const roles = scope === null ? [] : [scope];
  return Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: roles }));
}

function scopeText({ scope }: Operation): string {
  return scope === null ? '**Scope:** none; any valid key will do.' : `**Scope:** \`${scope}\`.`;
}

function limitText({ limit, doc }: Operation, all: readonly Operation[]): string {
  const sharing = all.filter((other) => other.limit.name === limit.name && other.doc.id !== doc.id);
  const unit = limit.perSecond === 1 ? 'request' : 'requests';
  const text = `**Limit:** ${limit.perSecond} ${unit} per second for each account`;
  if (sharing.length === 0) return `${text}.`;
  return `${text}, shared with ${sharing.map((other) => `\`${other.doc.id}\``).join(', ')}.`;
}

function bodyText({ input, bodyBytes }: Operation): string | undefined {
  if (input === 'file') return `**Body:** at most ${sizeText(bodyBytes)}.`;
  return input === 'body' ? `**Body:** at most ${sizeText(bodyBytes)}, also after decompression.` : undefined;
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
