import type { Infer } from '@pts/contract/infer';
import type { OperationDoc } from '@pts/contract/openapi/operation';
import type { OperationContract, RouteContract, StreamContract } from '@pts/contract/operation';
import type { Fault } from '@pts/core/faults';
import type { KeyHolder } from '@pts/db/accounts/accounts';
import type { Request, Response } from 'express';
import type { ApiDeps } from '../deps.ts';
import type { ReadJson } from './body.ts';

/** Who asks: the account, the key it came with, under which address of ours, and with which query parameters. */
export type Caller = KeyHolder & { baseUrl: string; query: Readonly<Record<string, unknown>> };

/** An operation that answers once, in the envelope; `mount.ts` alone knows authentication, limits, envelope and errors. */
export type Route = RouteContract & {
  faults?(deps: ApiDeps, input: Record<string, unknown>): Fault[];
  run(deps: ApiDeps, caller: Caller, input: never): Promise<object>;
};

/** What a stream reads from and writes to. */
export type Exchange = { request: Request; response: Response; readJson: ReadJson };

/** What a stream does. What it throws before the first byte is answered as any error. */
export type StreamHandler = { stream(deps: ApiDeps, caller: Caller, exchange: Exchange): Promise<void> };

/** An operation of the API: a route that the reference tells of. */
export type Operation = Route & { doc: OperationDoc };
/** An operation that reads its body and writes its answer as they come. */
export type StreamOperation = StreamContract & StreamHandler;

/** What an operation does. The types of its input and its answer are those of its schemas. */
export type Handler<C extends RouteContract, Answer = Infer<C['response']> & object> = {
  /** Faults that the request schema does not tell, of an input that need not fit it. */
  faults?(deps: ApiDeps, input: Record<string, unknown>): Fault[];
  run(deps: ApiDeps, caller: Caller, input: Infer<C['request']>): Promise<Answer>;
};

/** An answer without fields that its schema does not know, such as an optional one under another name. */
type Known<Answer, Schema> = Answer & Record<Exclude<NamesOf<Answer>, NamesOf<Infer<Schema>>>, never>;
type NamesOf<T> = T extends unknown ? keyof T : never;

/** An operation of the API: its contract, and what it does. */
export function operation<const C extends OperationContract, Answer extends Infer<C['response']> & object>(
  contract: C,
  handler: Handler<C, Known<Answer, C['response']>>,
): Operation {
  return { ...contract, ...handler };
}

/** An operation without a reference of its own; `run` is typed as an operation's is. */
export function route<const C extends RouteContract, Answer extends Infer<C['response']> & object>(
  contract: C,
  handler: Handler<C, Known<Answer, C['response']>>,
): Route {
  return { ...contract, ...handler };
}

/** An operation that answers line by line: its contract, and what it does. */
export function streamOperation(contract: StreamContract, handler: StreamHandler): StreamOperation {
  return { ...contract, ...handler };
}
