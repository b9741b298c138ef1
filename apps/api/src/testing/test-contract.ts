import { templateOf } from '@pts/contract/operation';
import { WHOLE_SECONDS } from '@pts/core/time';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { apiDocument } from '../endpoints/index.ts';

export type Answered = { status: number; headers: Headers; body: unknown };

type Response = { $ref?: string; 'x-error-codes'?: readonly number[] };

const document = apiDocument();
const ajv = new Ajv2020({ strict: false, validateSchema: false, formats: { 'date-time': WHOLE_SECONDS } });
ajv.addSchema(document, 'openapi');
const compiled = new Map<string, ValidateFunction>();

/**
 * Checks an answer of the API against the document: its status is one that the operation lists, its error a number that
 * is listed there, and its body fits. Paths without an operation are not checked.
 * @throws an Error that says what is not documented.
 */
export function checkAgainstDocument(method: string, url: URL, { status, headers, body }: Answered): void {
  const route = routeOf(method, url.pathname);
  if (route === null) return;
  const { path, verb } = route;
  const requested = `${method} ${path} answered ${status} ${JSON.stringify(body)?.slice(0, 300)}`;
  if (!headers.get('X-Request-Id')) throw new Error(`${requested}, without X-Request-Id`);
  const response = document.paths[path]?.[verb]?.responses[status] as Response | undefined;
  if (!response) throw new Error(`${requested}: its reference does not list ${status}. Name the error in its doc.`);
  const pointer = response.$ref ?? `#/paths/${pointerTo(path)}/${verb}/responses/${status}`;
  const codes = (response.$ref ? sharedResponse(response.$ref) : response)['x-error-codes'];
  const { code, meta } = (body ?? {}) as { code?: number; meta?: number };
  if (codes && (code === undefined || code !== meta || !codes.includes(code)))
    throw new Error(`${requested}: its reference lists only the numbers ${codes.join(', ')} there.`);
  const validate = validatorAt(`openapi${pointer}/content/application~1json/schema`);
  if (validate(body)) return;
  throw new Error(`${requested}: its reference describes other answers. ${ajv.errorsText(validate.errors)}`);
}

/**
 * The names of the parameters in the query that the document lists for an operation.
 * @param path as the operation declares it
 */
export function parametersOf(method: string, path: string): string[] {
  const operation = document.paths[templateOf(path)]?.[method.toLowerCase()];
  const parameters = (operation?.parameters ?? []) as { in: string; name: string }[];
  return parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
}

/**
 * Checks that a 4130 says which field is at fault and why, in the message and in `data.errors`.
 * @throws an Error if not.
 */
export function checkFieldsNamed(body: unknown): void {
  const { code, meta, message, data } = body as { code?: number; meta: number | Meta; message?: string; data: unknown };
  const number = code ?? (typeof meta === 'number' ? meta : meta.code);
  if (number !== 4130) return;
  const text = message ?? (typeof meta === 'number' ? '' : meta.message);
  const { errors = [] } = data as { errors?: { field: string; message: string }[] };
  const [first] = errors;
  if (!first) throw new Error(`a 4130 names no field: ${JSON.stringify(body)}`);
  if (!text.includes(first.field))
    throw new Error(`the message of a 4130 does not name its field: ${JSON.stringify(body)}`);
  if (errors.some((error) => error.field === '' || error.message === ''))
    throw new Error(`a 4130 does not say what is wrong: ${JSON.stringify(body)}`);
}

type Meta = { code: number; message: string };

/** A response that operations share. */
function sharedResponse(reference: string): Response {
  const { responses } = document.components as { responses?: Record<string, Response> };
  return responses?.[reference.replace('#/components/responses/', '')] ?? {};
}

/** The operation that a request is for; a path without parameters takes precedence. */
function routeOf(method: string, pathname: string): { path: string; verb: string } | null {
  const verb = method.toLowerCase();
  const fitting = Object.keys(document.paths).filter(
    (path) =>
      document.paths[path]?.[verb] && new RegExp(`^/api/v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(pathname),
  );
  const path = fitting.find((candidate) => !candidate.includes('{')) ?? fitting[0];
  return path === undefined || isWordOfAnother(path, pathname) ? null : { path, verb };
}

/** GET `/trackings/create` does not read a tracking with the id `create`: it is refused with 405. */
function isWordOfAnother(path: string, pathname: string): boolean {
  const requested = pathname.replace(/^\/api\/v1/, '').replace(/\/$/, '');
  return path !== requested && requested in document.paths;
}

function validatorAt(reference: string): ValidateFunction {
  const known = compiled.get(reference) ?? ajv.compile({ $ref: reference });
  compiled.set(reference, known);
  return known;
}

function pointerTo(path: string): string {
  return encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
}
