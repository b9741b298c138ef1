import type { Infer } from '@pts/contract/infer';
import type { ErrorName } from '@pts/core/errors';
import type { KeyHolder } from '@pts/db/accounts';
import type { ApiDeps } from './deps.ts';
import type { LimitName } from './limits.ts';

/** Where an endpoint's input comes from. Path parameters are always texts. */
type Source = 'body' | 'query' | 'params';

/** Who asks: the account, the key it came with, and under which address of ours. */
export type Caller = KeyHolder & { baseUrl: string };

/** What the API reference says of an operation. */
export type EndpointDoc = {
  tag: 'Trackings' | 'Bulk' | 'Shipments' | 'Carriers' | 'Webhooks' | 'Events' | 'Account';
  /** A few words, in the imperative: `Register a tracking number`. */
  summary: string;
  /** What a merchant's developer needs to know besides the schemas; Markdown. */
  description?: string;
  /** Errors beyond those that every operation has (400, 401, 404, 405, 429, 500, 503, 4130). */
  errors?: readonly ErrorName[];
  /** The body's schema, where `request` is ANY_INPUT because it has several forms. */
  requestBody?: object;
  /** An example of the input and of the answer's data. */
  example?: { request?: unknown; response?: unknown };
};

/** An operation of the API as data; `mount.ts` alone knows authentication, limits, envelope and errors. */
export type Endpoint = {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Below /api/v1, in Express's form. */
  path: string;
  limit: LimitName;
  input: Source | null;
  request: object;
  response: object;
  /** Whether the answer carries an ETag and may be answered 304. */
  cacheable?: true;
  doc?: EndpointDoc;
  run(deps: ApiDeps, caller: Caller, input: never): Promise<object>;
};

/** Declares an endpoint: the type of `run`'s input is made from its request schema. */
export function endpoint<const S extends object>(
  spec: Omit<Endpoint, 'run' | 'request'> & {
    request: S;
    run(deps: ApiDeps, caller: Caller, input: Infer<S>): Promise<object>;
  },
): Endpoint {
  return spec as unknown as Endpoint;
}

/** The request schema of endpoints that take nothing. */
export const NO_INPUT = { type: 'object' } as const;

/** The request schema of endpoints that read their body themselves, because it has several forms. */
export const ANY_INPUT = {} as const;
