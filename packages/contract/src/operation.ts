import type { Scope } from '@pts/core/account';
import type { LimitName } from './limits.ts';
import type { OperationDoc } from './openapi/operation-doc.ts';

/**
 * Whether a client may repeat a request after a failure with unknown outcome: a lost connection, a timeout, a 5xx.
 * `safe`: yes, because repeating it changes nothing. `keyed`: yes, under an Idempotency-Key, so that it is carried out once.
 * `once`: no; the caller must check first. All may be repeated after a 429 and if no connection was made, because then nothing
 * was carried out.
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
  /** What the API key must be allowed to do; null: any valid key will do. */
  readonly scope: Scope | null;
  /** Maximum body size in bytes, before and after decompression. Default 16 KiB. A larger body is refused unread. */
  readonly bodyBytes?: number;
  /** Where the input comes from. Path parameters are always texts. `file`: the query, and the body is a file. */
  readonly input: 'body' | 'query' | 'params' | 'file' | null;
  readonly request: object;
  /**
   * Whether unknown fields of the body are refused: all, or those that look like a misspelt one. Set it where an ignored misspelling
   * would make the operation do more than was meant, or something else. Fields of the record that it returns may be sent back.
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

/** What is needed to call an operation. */
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
