import type { LimitName } from './limits.ts';
import type { OperationDoc } from './openapi/operation.ts';

/**
 * An operation of the API as clients see it: where it is, what it takes and answers, and what the reference says of it.
 * The API adds what it does (`operation` in apps/api/src/http/operation.ts).
 */
export type OperationContract = {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below /api/v1; `:name` is a path parameter. */
  readonly path: string;
  /** Operations of one limit share it. */
  readonly limit: LimitName;
  /** Bytes that its body may have, on the wire and unpacked; 16 KiB if not said. A larger one is refused unread. */
  readonly bodyBytes?: number;
  /** Where the input comes from. Path parameters are always texts. */
  readonly input: 'body' | 'query' | 'params' | null;
  readonly request: object;
  /** The schema of `data` in the envelope. */
  readonly response: object;
  /** Whether the answer carries an ETag and may be answered 304. */
  readonly cacheable?: true;
  readonly doc: OperationDoc;
};

/** Declares an operation; the types of its input and its answer are made from its schemas. */
export function defineOperation<const C extends OperationContract>(contract: C): C {
  return contract;
}

/** An operation without a reference of its own: version 4 of the API family tells of it elsewhere. */
export type RouteContract = Omit<OperationContract, 'doc'>;

export function defineRoute<const C extends RouteContract>(contract: C): C {
  return contract;
}

/** An operation that answers line by line: `line` is the schema of each. */
export type StreamContract = Omit<OperationContract, 'response' | 'cacheable'> & { readonly line: object };

export function defineStream<const C extends StreamContract>(contract: C): C {
  return contract;
}

/** The request schema of operations that take nothing. */
export const NO_INPUT = { type: 'object' } as const;

/** The request schema of operations that read their body themselves, because it has several forms. */
export const ANY_INPUT = {} as const;
