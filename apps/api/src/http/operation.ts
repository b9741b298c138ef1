import type { Infer } from '@pts/contract/infer';
import type { OperationDoc } from '@pts/contract/openapi/operation';
import type { KeyHolder } from '@pts/db/accounts/accounts';
import type { Request, Response } from 'express';
import type { ApiDeps } from '../deps.ts';
import type { ReadJson } from './body.ts';
import type { LimitName } from './limits.ts';
import type { Fault } from './validate.ts';

/** Where the input of an operation comes from. Path parameters are always texts. */
type Source = 'body' | 'query' | 'params';

/** Who asks: the account, the key it came with, under which address of ours, and with which query parameters. */
export type Caller = KeyHolder & { baseUrl: string; query: Readonly<Record<string, unknown>> };

/** What all operations have, as data; `mount.ts` alone knows authentication, limits, envelope and errors. */
type Base = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below /api/v1, in Express's form. */
  path: string;
  limit: LimitName;
  /** Bytes that its body may have, on the wire and unpacked; 16 KiB if not said. A larger one is refused unread. */
  bodyBytes?: number;
  input: Source | null;
  request: object;
  response: object;
  /** Faults that the request schema does not tell, of an input that need not fit it. */
  faults?(deps: ApiDeps, input: Record<string, unknown>): Fault[];
  /** Whether the answer carries an ETag and may be answered 304. */
  cacheable?: true;
};

/** An operation that answers once, in the envelope. */
export type Route = Base & { run(deps: ApiDeps, caller: Caller, input: never): Promise<object> };

/** An operation that reads its body and writes its answer as they come. What it throws before the first byte is answered as any error. */
export type StreamRoute = Base & {
  stream(deps: ApiDeps, caller: Caller, request: Request, response: Response, readJson: ReadJson): Promise<void>;
};

/** An operation of the API: a route that the reference tells of. */
export type Operation = Route & { doc: OperationDoc };
export type StreamOperation = StreamRoute & { doc: OperationDoc };

/** A route or an endpoint as it is written: the type of `run`'s input is made from its request schema. */
type Spec<E extends Route, S> = Omit<E, 'run' | 'request'> & {
  request: S;
  run(deps: ApiDeps, caller: Caller, input: Infer<S>): Promise<object>;
};

/** Declares an operation of the API. */
export function operation<const S extends object>(spec: Spec<Operation, S>): Operation {
  return spec as unknown as Operation;
}

/** Declares an operation that has its reference elsewhere. */
export function route<const S extends object>(spec: Spec<Route, S>): Route {
  return spec as unknown as Route;
}

/** The request schema of operations that take nothing. */
export const NO_INPUT = { type: 'object' } as const;

/** The request schema of operations that read their body themselves, because it has several forms. */
export const ANY_INPUT = {} as const;
