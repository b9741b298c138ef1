import type { OperationContract, RouteContract, StreamContract } from '@pts/contract/operation';
import type { Infer } from '@pts/contract/schema';
import type { Fault } from '@pts/core/errors';
import type { Message } from '@pts/core/languages/message';
import type { Language } from '@pts/core/languages/texts';
import type { Include } from '@pts/core/tracking/fields';
import type { KeyHolder } from '@pts/db/accounts/accounts';
import type { OperatorKey } from '@pts/db/accounts/operator-keys';
import type { RequestContext } from '@pts/runtime/tracing/tracing';
import type { Request, Response } from 'express';
import type { ApiDeps } from '../deps.ts';
import type { ReadJson } from './body.ts';

/** A platform, by its operator's key. */
export type OperatorHolder = { key: OperatorKey };

/** The caller: the account and its key, or an operator's key, and what the request says besides its input. */
export type Caller<H = KeyHolder> = H & {
  baseUrl: string;
  query: Readonly<Record<string, unknown>>;
  /** The address that the request came from. */
  ip: string | null;
  /** The language that texts were asked for in, if the operation has texts; null for none. */
  language: Language | null;
  /** The groups of optional fields in the answer: those of the request, or else of the account. */
  include: readonly Include[];
  request: RequestContext;
};

/**
 * The part of an operation that reads its body itself, as a file; `run` gets what it returns, which is discarded
 * afterwards.
 */
type Receive<H> = (deps: ApiDeps, caller: Caller<H>, input: never, exchange: Exchange<H>) => Promise<Upload>;

/**
 * An operation that answers once, in the envelope; `mount.ts` alone knows authentication, limits, envelope and errors.
 */
export type Route<H = KeyHolder> = RouteContract & {
  faults?(deps: ApiDeps, input: Record<string, unknown>): Fault[];
  receive?: Receive<H>;
  run(deps: ApiDeps, caller: Caller<H>, input: never): Promise<object>;
};

/** The input and output of a stream. */
export type Exchange<H = KeyHolder> = {
  request: Request;
  response: Response;
  readJson: ReadJson;
  /** Confirms that the caller's key may still be used. @throws ServiceError `unauthorized`. */
  confirm(): Promise<H>;
};

/** A file that was received, and what becomes of it if it is not used. */
type Upload = {
  /** The digest of the file's content. */
  digest: string;
  discard(): Promise<void>;
};

/** The handler of a stream. An error before the first byte is answered like any other. */
type StreamHandler<H = KeyHolder> = {
  stream(deps: ApiDeps, caller: Caller<H>, exchange: Exchange<H>): Promise<void>;
};

/** An operation of the API: a route that is part of the reference. */
export type Operation<H = KeyHolder> = Route<H> & Pick<OperationContract, 'doc' | 'repeat'>;
/** An operation of the API for operators' keys. */
export type OperatorOperation = Operation<OperatorHolder>;
/** An operation that streams its body and its response. */
export type StreamOperation<H = KeyHolder> = StreamContract & StreamHandler<H>;

/** The result of a handler for a schema: any text may be a message, which is sent in the caller's language. */
export type Localized<T> = T extends string
  ? string extends T
    ? T | Message
    : T
  : T extends object
    ? { [Name in keyof T]: Localized<T[Name]> }
    : T;

/** The handler of an operation, typed by its request and response schemas. */
export type Handler<C extends RouteContract, Answer = Localized<Infer<C['response']>> & object, H = KeyHolder> = {
  /** Faults beyond the request schema, of an input that may not match it. */
  faults?(deps: ApiDeps, input: Record<string, unknown>): Fault[];
  run(deps: ApiDeps, caller: Caller<H>, input: Infer<C['request']>): Promise<Answer>;
};

/** Rejects fields that the response schema does not have, such as a misspelled optional one. */
type Known<Answer, Schema> = Answer & Record<Exclude<NamesOf<Answer>, NamesOf<Infer<Schema>>>, never>;
type NamesOf<T> = T extends unknown ? keyof T : never;

/** An operation of the API: its contract and its handler. */
export function operation<const C extends OperationContract, Answer extends Localized<Infer<C['response']>> & object>(
  contract: C,
  handler: Handler<C, Known<Answer, C['response']>>,
): Operation {
  return { ...contract, ...handler };
}

/** An operation for operators' keys; `run` is typed the same way. */
export function operatorOperation<
  const C extends OperationContract,
  Answer extends Localized<Infer<C['response']>> & object,
>(contract: C, handler: Handler<C, Known<Answer, C['response']>, OperatorHolder>): OperatorOperation {
  return { ...contract, ...handler };
}

/** An operation whose body is a file: it is received first, then `run` gets it. */
export function fileOperation<const C extends OperationContract, F extends Upload>(
  contract: C,
  handler: {
    receive(deps: ApiDeps, caller: Caller, input: Infer<C['request']>, exchange: Exchange): Promise<F>;
    run(deps: ApiDeps, caller: Caller, file: F): Promise<Localized<Infer<C['response']>> & object>;
  },
): Operation {
  return { ...contract, ...handler };
}

/** An operation that is not part of the reference; `run` is typed the same way. */
export function route<const C extends RouteContract, Answer extends Localized<Infer<C['response']>> & object>(
  contract: C,
  handler: Handler<C, Known<Answer, C['response']>>,
): Route {
  return { ...contract, ...handler };
}

/** An operation that answers line by line: its contract and its handler. */
export function streamOperation(contract: StreamContract, handler: StreamHandler): StreamOperation {
  return { ...contract, ...handler };
}
