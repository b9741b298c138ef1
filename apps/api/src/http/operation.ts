import type { Infer } from '@pts/contract/infer';
import type { LimitName } from '@pts/contract/limits';
import type { OperationDoc } from '@pts/contract/openapi/operation';
import type { OperationContract } from '@pts/contract/operation';
import type { Fault } from '@pts/core/faults';
import type { KeyHolder } from '@pts/db/accounts/accounts';
import type { Request, Response } from 'express';
import type { ApiDeps } from '../deps.ts';
import type { ReadJson } from './body.ts';

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

/** What an operation does. The types of its input and its answer are those of its schemas. */
export type Handler<C extends OperationContract> = {
  /** Faults that the request schema does not tell, of an input that need not fit it. */
  faults?(deps: ApiDeps, input: Record<string, unknown>): Fault[];
  run(deps: ApiDeps, caller: Caller, input: Infer<C['request']>): Promise<Infer<C['response']>>;
};

/** An operation of the API: its contract, and what it does. */
export function operation<const C extends OperationContract>(contract: C, handler: Handler<C>): Operation;
// To be removed with the last operation that is written as one object.
export function operation<const S extends object>(spec: OneObject<Operation, S>): Operation;
export function operation(contract: object, handler: object = {}): Operation {
  return { ...contract, ...handler } as unknown as Operation;
}

/** A route that has its reference elsewhere; `run` is typed as an operation's is. */
export function route<const C extends Omit<OperationContract, 'doc'>>(
  contract: C,
  handler: Pick<Handler<C & { doc: never }>, 'run'>,
): Route;
export function route<const S extends object>(spec: OneObject<Route, S>): Route;
export function route(contract: object, handler: object = {}): Route {
  return { ...contract, ...handler } as unknown as Route;
}

type OneObject<E extends Route, S> = Omit<E, 'run' | 'request'> & {
  request: S;
  run(deps: ApiDeps, caller: Caller, input: Infer<S>): Promise<object>;
};

export { ANY_INPUT, NO_INPUT } from '@pts/contract/operation';
