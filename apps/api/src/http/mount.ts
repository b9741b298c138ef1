import { createHash } from 'node:crypto';
import { BODY_BYTES } from '@pts/contract/limits';
import { NO_INPUT, type OperationDoc, type RouteContract, type StreamContract } from '@pts/contract/operation';
import { canonicalJson } from '@pts/core/canonical-json';
import { type Fault, invalidField, refusedField, ServiceError } from '@pts/core/errors';
import { joined, jsonIn, message } from '@pts/core/languages/message';
import type { Language } from '@pts/core/languages/texts';
import { INCLUDE_NAMES, INCLUDES, type Include } from '@pts/core/tracking/fields';
import type { KeyHolder } from '@pts/db/accounts/accounts';
import { runOnce } from '@pts/service/run-once';
import type { Request, RequestHandler, Response, Router } from 'express';
import type { ApiDeps } from '../deps.ts';
import { createBaseUrlOf } from './addresses.ts';
import { type Asking, type Envelope, isUnchanged, languageOf, messageLanguage, V1 } from './answers.ts';
import type { Holder } from './authenticate.ts';
import { type ReadJson, refuseDeclared } from './body.ts';
import { admit, type CallOptions, callOf, givenOf, parametersOf } from './call.ts';
import type { Usage } from './limits/limits.ts';
import type { Caller, Route, StreamOperation } from './operation.ts';
import { createValidator, isObject, unknownParameters } from './validate.ts';

type AnyRoute<H> = Route<H> | StreamOperation<H>;
type AnyContract = RouteContract | StreamContract;

export type MountOptions<H extends Holder = KeyHolder> = CallOptions<H> & {
  readJson: ReadJson;
  /** How clients reach the API; absent: as in the request. */
  publicBaseUrl: string | undefined;
};

/**
 * Mounts operations on a router. Everything they share is here: authentication, limits, validation
 * and the envelope. Known paths refuse other methods with 405.
 */
export function mount<H extends Holder>(
  router: Router,
  operations: readonly AnyRoute<H>[],
  options: MountOptions<H>,
  envelope: Envelope = V1,
): void {
  // Paths without a parameter come first, with their 405s: `create` in /trackings/create is not an id.
  const isLiteral = ({ path }: AnyContract) => !path.includes(':');
  mountGroup(router, operations.filter(isLiteral), options, envelope);
  const parametric = operations.filter((entry) => !isLiteral(entry));
  for (const { path } of parametric) router.all(path, refuseWords(path, siblingsOf(path, operations)));
  mountGroup(router, parametric, options, envelope);
}

function mountGroup<H extends Holder>(
  router: Router,
  operations: readonly AnyRoute<H>[],
  options: MountOptions<H>,
  envelope: Envelope,
): void {
  for (const entry of operations) router[entry.method](entry.path, handler(entry, options, envelope));
  for (const path of new Set(operations.map((entry) => entry.path))) {
    const methods = operations.filter((entry) => entry.path === path).map((entry) => entry.method.toUpperCase());
    router.all(path, (_request, response) => {
      // Express answers a HEAD as the GET without its body.
      response.set('Allow', methods.flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : method)).join(', '));
      throw new ServiceError('method_not_allowed', {
        text: message('only_methods', { methods: joined('and', methods) }),
      });
    });
  }
}

/** The literal segments that can replace the parameter at the end of a path. */
function siblingsOf(path: string, operations: readonly AnyContract[]): string[] {
  const parent = path.slice(0, path.lastIndexOf('/') + 1);
  const words = operations.flatMap((entry) =>
    entry.path.startsWith(parent) ? (entry.path.slice(parent.length).split('/')[0] ?? '') : [],
  );
  return [...new Set(words)].filter((word) => !word.startsWith(':')).sort();
}

/** Path segments are lower-case words; a malformed id has digits, capitals or 24 characters. */
function isWord(segment: string): boolean {
  return segment.length !== 24 && /^[a-z]+([-_][a-z]+)*$/.test(segment);
}

/** A word in place of an id is reported as an unknown path, not as a malformed id. */
function refuseWords(path: string, siblings: readonly string[]): RequestHandler {
  const [, name] = /\/:(\w+)$/.exec(path) ?? [];
  return (request, _response, next) => {
    const { method, baseUrl, path: requested } = request;
    const segment = String(name === undefined ? '' : request.params[name]);
    const isMeant = isWord(segment) || siblings.includes(segment.toLowerCase());
    if (siblings.length === 0 || !isMeant) return next();
    const path = `${baseUrl}${requested}`.replace(/\/$/, '');
    const parent = path.slice(0, path.lastIndexOf('/') + 1);
    const text = message('no_route_after', { method, path: `${baseUrl}${requested}`, parent, words: siblings });
    throw new ServiceError('not_found', { text });
  };
}

function handler<H extends Holder>(entry: AnyRoute<H>, options: MountOptions<H>, envelope: Envelope): RequestHandler {
  const { deps, audience, readJson, publicBaseUrl } = options;
  const { authenticator, ownerOf } = audience;
  const maxBytes = entry.bodyBytes ?? BODY_BYTES.single;
  const baseUrlOf = createBaseUrlOf(publicBaseUrl);
  const parameters = parametersOf(entry);
  const identify = async (request: Request, response: Response, asking: Asking): Promise<Caller<H>> => {
    const holder = await authenticator.identify(request, () => {
      if (entry.input === 'body') refuseDeclared(request, maxBytes);
    });
    const baseUrl = baseUrlOf(request);
    const language = languageFor(entry, asking);
    const owner = ownerOf(holder);
    const caller: Caller<H> = {
      ...holder,
      baseUrl,
      query: givenOf(entry, parameters(asking.query)),
      ip: request.ip ?? null,
      language,
      include: includeFor(entry, asking) ?? owner.include,
      request: response.locals.context,
    };
    response.locals.sender = owner.logged;
    deps.bulkhead.seen(owner.id);
    await admit(entry, options, caller, (usage) => showUsage(response, usage));
    return caller;
  };
  const unknownIn = unknownParameters(entry);
  if ('stream' in entry) {
    const validate = createValidator(entry.input === 'query' ? entry.request : NO_INPUT);
    const depsFor = audience.depsOf(deps);
    return async (request, response) => {
      const asking = askingOf(request);
      const caller = await identify(request, response, asking);
      refuseIdempotencyKey(request);
      validate(caller.query, (given) => [...unknownIn(given), ...wrongInclude(entry, asking)]);
      return entry.stream({ ...depsFor(caller), request: caller.request }, caller, {
        request,
        response,
        readJson,
        confirm: () => authenticator.confirm(request),
      });
    };
  }
  const { status = 200 } = entry;
  const call = callOf(entry, options);
  return async (request, response) => {
    const asking = askingOf(request);
    const caller = await identify(request, response, asking);
    if (entry.input === 'body') {
      request.body = await readJson(request, response, { maxBytes, accountId: ownerOf(caller).id });
      // A body may take half a minute to arrive.
      await authenticator.confirm(request);
    }
    const input = inputOf(entry, request, caller);
    call.validate(caller, input, () => [
      ...unknownIn(parameters(asking.query)),
      ...repeatedLang(entry, asking),
      ...wrongInclude(entry, asking),
      ...contradictsPath(entry, request),
    ]);
    const key = idempotencyKeyOf(request);
    const exchange = { request, response, readJson, confirm: () => authenticator.confirm(request) };
    const upload = await entry.receive?.(call.depsOf(caller), caller, input as never, exchange);
    try {
      // A file may take minutes to arrive.
      if (upload) await authenticator.confirm(request);
      const answer = async () =>
        jsonIn(messageLanguage(asking), envelope.success(await call.run(caller, input, upload)));
      // A new key is a secret: only the key that created it gets it again.
      const content = [upload ? upload.digest : input, entry.scope === 'admin' ? caller.key.id : null];
      const once = { request, response, ownerId: ownerOf(caller).id, content, status };
      response.status(status);
      const text = key === null ? await answer() : await answerOnce(deps, key, once, answer);
      sendJson(request, response, text, entry.cacheable === true);
    } finally {
      await upload?.discard();
    }
  };
}

const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** 1 to 255 visible ASCII characters. */
const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

/**
 * The key of a request that is to be carried out once; null for none, and where it makes no difference: only POST
 * changes something with each repetition.
 * @throws ServiceError `invalid_field` for a malformed one.
 */
function idempotencyKeyOf(request: Request): string | null {
  const key = request.method === 'POST' ? request.get(IDEMPOTENCY_KEY) : undefined;
  if (key === undefined) return null;
  if (KEY_FORM.test(key)) return key;
  throw refusedField(IDEMPOTENCY_KEY, message('field.idempotency_key'));
}

/** A stream's answer cannot be kept. @throws ServiceError `invalid_field` if the request has a key. */
function refuseIdempotencyKey(request: Request): void {
  if (idempotencyKeyOf(request) === null) return;
  throw refusedField(IDEMPOTENCY_KEY, message('field.no_idempotency'));
}

type Once = {
  request: Request;
  response: Response;
  /** The account, or the operator's key, that the request's key is one of. */
  ownerId: string;
  /** The content that makes two requests the same, besides method and address. */
  content: unknown;
  /** The HTTP status of success. */
  status: number;
};

/** Runs `work` once under the key of a request; a repeated request gets the status and body of the first. */
async function answerOnce(
  deps: Pick<ApiDeps, 'db' | 'secretCipher' | 'now'>,
  key: string,
  { request, response, ownerId, content, status: success }: Once,
  work: () => Promise<string>,
): Promise<string> {
  const { method, baseUrl, path, query } = request;
  const hash = createHash('sha256').update(canonicalJson({ method, path: `${baseUrl}${path}`, query, content }));
  const keyed = { accountId: ownerId, key, requestHash: Uint8Array.from(hash.digest()) };
  const { status, body, isReplay } = await runOnce(deps, keyed, async () => ({ status: success, body: await work() }));
  if (isReplay) response.status(status).setHeader('Idempotency-Replayed', 'true');
  return body;
}

/** Read once: Express parses the query each time. */
function askingOf({ query, headers }: Request): Asking {
  return { query, headers };
}

/** The language that a request asks for, of an operation that answers in several. */
function languageFor(entry: AnyContract, asking: Asking): Language | null {
  return 'localized' in entry && entry.localized ? languageOf(asking) : null;
}

/** Whether a request may say which optional fields its answer has. */
function takesInclude({ request, doc }: AnyContract & { doc?: OperationDoc }): boolean {
  const { properties = {} } = request as { properties?: object };
  return Object.hasOwn({ ...properties, ...doc?.query?.properties }, 'include');
}

/** The optional fields that a request asks for; undefined if it does not say. */
function includeFor(entry: AnyContract, { query: { include } }: Asking): Include[] | undefined {
  if (typeof include !== 'string' || !takesInclude(entry)) return undefined;
  return INCLUDE_NAMES.filter((name) => include.split(',').includes(name));
}

function wrongInclude(entry: AnyContract, { query: { include } }: Asking): Fault[] {
  if (include === undefined || include === '' || !takesInclude(entry)) return [];
  const isKnown = typeof include === 'string' && include.split(',').every((name) => Object.hasOwn(INCLUDES, name));
  const form = message('field.include', { names: INCLUDE_NAMES });
  return isKnown ? [] : [invalidField('include', form)];
}

function repeatedLang({ localized }: Pick<Route, 'localized'>, { query: { lang } }: Asking): Fault[] {
  if (!localized || lang === undefined || typeof lang === 'string') return [];
  return [invalidField('lang', message('field.once'))];
}

/** A record may be sent back with its id, but not to the path of another one: the client may have meant either. */
function contradictsPath({ input }: AnyContract, { params, body }: Request): Fault[] {
  if (input !== 'body' || typeof body !== 'object' || body === null) return [];
  return Object.entries(params).flatMap(([field, inPath]) => {
    const sent = Object.hasOwn(body, field) ? body[field] : undefined;
    // Some clients send fields that have no value.
    const isSame = sent === inPath || sent === undefined || sent === null || sent === '';
    return isSame ? [] : [invalidField(field, message('field.not_in_path'))];
  });
}

/** A body's fields and those of its path are one input, with those of the path first. */
function inputOf({ input }: AnyContract, request: Request, { query }: Pick<Caller, 'query'>): unknown {
  if (input === null) return {};
  const sent: unknown = input === 'query' || input === 'file' ? query : request[input];
  const given = sent === undefined ? {} : sent;
  return isObject(given) && Object.keys(request.params).length > 0 ? { ...given, ...request.params } : given;
}

/** Like Express's `json`, which costs more than the rest of the routing: it determines the content type again. */
function sendJson(request: Request, response: Response, text: string, isCacheable: boolean): void {
  const bytes = encode(text);
  if (isCacheable) {
    const tag = tagOf(bytes);
    response.setHeader('ETag', tag);
    if (isUnchanged(request, tag)) return void response.status(304).end();
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

const encoder = new TextEncoder();
const scratch = Buffer.allocUnsafeSlow(65_536);

/** Its bytes, encoded once. A text with Chinese, as most are, takes `Buffer.from` twice as long. */
function encode(text: string): Buffer {
  if (text.length * 3 > scratch.length) return Buffer.from(text);
  const { written } = encoder.encodeInto(text, scratch);
  return Buffer.from(scratch.subarray(0, written));
}

function tagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}

function showUsage(response: Response, { limit, remaining, resetSeconds }: Usage): void {
  response.setHeader('RateLimit-Limit', limit);
  response.setHeader('RateLimit-Remaining', remaining);
  response.setHeader('RateLimit-Reset', resetSeconds);
}
