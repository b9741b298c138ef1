import type { Scope } from '@pts/core/account';
import type { ErrorName } from '@pts/core/errors';

/** How the reference groups the operations, in its order. */
export const TAGS = {
  Trackings: 'Register single parcels, read, change, retrack and remove them.',
  Bulk: 'Register many parcels in one request.',
  Imports: 'Register the parcels of a file in the background.',
  'Bulk actions': 'Retrack, stop, delete or redeliver everything that a filter matches, in the background.',
  Shipments: 'List, search and export the parcels of the account, and see what needs attention.',
  Events: 'Read every event in order, without gaps: for clients that poll instead of receiving pushes.',
  Carriers: 'List the known carriers and detect the carrier of a number.',
  Webhooks: 'Receive signed pushes at your URL, test the receiver, and read the delivery log.',
  Pushes: 'The requests that your receiver gets.',
  Pages: 'A page for the buyer of each parcel: its settings, its links, and what it says.',
  Account: 'The account of the API key and its quota.',
  Keys: 'Create, list and revoke the API keys of the account.',
} as const;
export type Tag = keyof typeof TAGS;

/** A body of one media type. */
export type Media = { schema: object; example?: unknown };

/** The documentation of an operation. */
export type OperationDoc = {
  /** Its name for generated clients: short and stable. `createTracking`. */
  id: string;
  tag: Tag;
  /** Whether it registers a URL that pushes are sent to. */
  registersReceiver?: true;
  /** A few words, in the imperative: `Register a tracking number`. */
  summary: string;
  /** The same in Chinese, for the portal. */
  summaryZh: string;
  /** What developers need to know beyond the schemas; Markdown. */
  description?: string;
  /** Its own errors. All have 400, 401, 403, 429, 500, 503 and 4130; those with a body 413 and 415. */
  errors?: readonly ErrorName[];
  /** What its 409 means, and an example of it; absent: that of an `Idempotency-Key`. */
  conflict?: { when: string; message: string; data?: object };
  /** The schema of the body, if it has several forms and `request` does not contain it. */
  requestBody?: object;
  /** Another form of the body that the API accepts, which only the description mentions. */
  otherBody?: object;
  /** Whether the body is optional. */
  bodyIsOptional?: true;
  /** Query parameters in addition to a body: an object schema. */
  query?: Parameters;
  /** Headers of its own. */
  headers?: Parameters;
  /** Bodies and answers that are not plain JSON in the envelope, by media type. */
  media?: { request?: Readonly<Record<string, Media>>; response?: Readonly<Record<string, Media>> };
  /** An example of the input and of the answer's data. */
  example?: { request?: unknown; response?: unknown };
};

/** An object schema whose properties are parameters. */
export type Parameters = { properties: Readonly<Record<string, object>>; required?: readonly string[] };

/** An operation as the API declares it. */
export type Operation = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below /api/v1; `:name` is a path parameter. */
  path: string;
  /** Requests per second; operations with the same name share them. */
  limit: { name: string; perSecond: number };
  /** What the API key must be allowed to do; null: any valid key will do. */
  scope: Scope | null;
  /** The maximum size of the decompressed body in bytes, for operations with a body. */
  bodyBytes: number;
  input: 'body' | 'query' | 'params' | 'file' | null;
  request: object;
  response: object;
  status?: 202;
  cacheable?: true;
  /** Whether it takes an `Idempotency-Key`: every POST that answers once. */
  isKeyed: boolean;
  doc: OperationDoc;
};

/** A path in OpenAPI's form. */
export function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
