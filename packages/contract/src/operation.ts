import type { Scope } from '@pts/core/account';
import type { ErrorName } from '@pts/core/errors';
import type { Message } from '@pts/core/languages/message';
import { documentedWith, NO_OTHER_FIELDS } from './common.ts';
import { BODY_BYTES, LIMITS, type LimitName } from './limits.ts';

/**
 * Whether a client may repeat a request after a failure with unknown outcome: a lost connection, a timeout, a 5xx.
 * `safe`: yes, because repeating it changes nothing. `keyed`: yes, under an Idempotency-Key, so that it is carried out
 * once. `once`: no; the caller must check first. All may be repeated after a 429 and if no connection was made, because
 * then nothing was carried out.
 */
export type Repeat = 'safe' | 'keyed' | 'once';

/**
 * An operation of the API as clients see it: its path, its request and response, and its documentation.
 * The API adds the handler (`operation` in apps/api/src/http/operation.ts).
 */
export type OperationContract = {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below /api/v1; `:name` is a path parameter. */
  readonly path: string;
  /** Operations of one limit share its requests per second. */
  readonly limit: LimitName;
  readonly repeat: Repeat;
  /** The scope that the API key must have; null: any valid key will do. `operator`: it needs an operator's key. */
  readonly scope: Scope | 'operator' | null;
  /** Maximum body size in bytes, before and after decompression. Default 16 KiB. A larger body is refused unread. */
  readonly bodyBytes?: number;
  /** Where the input comes from. Path parameters are always texts. `file`: the query, and the body is a file. */
  readonly input: 'body' | 'query' | 'params' | 'file' | null;
  readonly request: object;
  /**
   * Whether unknown fields of the body are refused: all, or those that look like a misspelt one. Set it where an
   * ignored misspelling would make the operation do more than was meant, or something else. Fields of the record that
   * it returns may be sent back.
   */
  readonly strict?: true | 'misspelt';
  /** The schema of `data` in the envelope. */
  readonly response: object;
  /** The HTTP status of success, if it is not 200: the request was accepted, and is carried out in the background. */
  readonly status?: 202;
  /** Whether the response has an ETag and can be 304. */
  readonly cacheable?: true;
  /** Whether the response has texts in the language that `lang` or `Accept-Language` asks for. */
  readonly localized?: true;
  readonly doc: OperationDoc;
};

/** The parts of a contract that are needed to call the operation. */
export type RouteLine = Pick<OperationContract, 'method' | 'path' | 'limit' | 'repeat'>;

/** Declares an operation; the types of its input and response derive from its schemas. */
export function defineOperation<const C extends OperationContract>(contract: C): C {
  return contract;
}

/** An operation that is not part of the reference: version 4 of the API family is documented elsewhere. */
export type RouteContract = Omit<OperationContract, 'doc' | 'repeat'>;

export function defineRoute<const C extends RouteContract>(contract: C): C {
  return contract;
}

/** An operation that answers line by line: `line` is the schema of each. */
export type StreamContract = Omit<OperationContract, 'response' | 'status' | 'cacheable'> & { readonly line: object };

export function defineStream<const C extends StreamContract>(contract: C): C {
  return contract;
}

/** The request schema of operations without input. */
export const NO_INPUT = { type: 'object' } as const;

/** The request schema of operations that parse their body themselves, because it has several forms. */
export const ANY_INPUT = {} as const;

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
  Keys: 'The API keys of the account, the people who sign in to it, and who changed what.',
  Platforms: 'Manage all accounts with an operator key, where the installation has `OPERATOR_API` on.',
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
  /** The summary in Chinese, for the portal. */
  summaryZh: string;
  /** Information that developers need beyond the schemas; Markdown. */
  description?: string;
  /** Its own errors. All have 400, 401, 403, 429, 500, 503 and 4130; those with a body 413 and 415. */
  errors?: readonly ErrorName[];
  /** The meaning of its 409, and an example of it; absent: that of an `Idempotency-Key`. */
  conflict?: { when: string; message: Message; data?: object };
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
export type Parameters = RequiredNames & {
  properties: Readonly<Record<string, object>>;
  /** Without these, those of `else` are required. */
  if?: RequiredNames;
  else?: RequiredNames;
};
type RequiredNames = { required?: readonly string[] };

/** An operation as the reference describes it. */
export type Operation = Pick<
  OperationContract,
  'method' | 'path' | 'scope' | 'input' | 'request' | 'response' | 'status' | 'cacheable' | 'doc'
> & {
  /** Requests per second; operations with the same name share them. */
  limit: { name: string; perSecond: number };
  /** The maximum size of the decompressed body in bytes, for operations with a body. */
  bodyBytes: number;
  /** Whether it takes an `Idempotency-Key`: every POST that answers once. */
  isKeyed: boolean;
};

/** A path in OpenAPI's form. */
export function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** A contract in the form that the OpenAPI document is made of. */
export function described({ limit, strict, ...contract }: OperationContract | StreamContract): Operation {
  const { method, request, bodyBytes = BODY_BYTES.single } = contract;
  return {
    // The media types of its documentation describe the response of a stream.
    response: {},
    ...contract,
    request: strict === true ? documentedWith(request, NO_OTHER_FIELDS) : request,
    bodyBytes,
    limit: { name: limit, perSecond: LIMITS[limit] },
    isKeyed: method === 'post' && !('line' in contract),
  };
}
