import { nestedEntries } from '@pts/core/entries';
import type { Fault } from '@pts/core/errors';
import { appendAudit } from '@pts/db/audit';
import { modesOf } from '@pts/service/accounts';
import type { KeepChange } from '@pts/service/context';
import type { ApiDeps } from '../deps.ts';
import { requireScope } from './authenticate.ts';
import { type Limiter, requireAllowed, type Usage } from './limits/limits.ts';
import type { Caller, Route, StreamOperation } from './operation.ts';
import { createResponseCheck, createValidator, IN_COMMAS, unknownInBody, warningsOf } from './validate.ts';

export type CallOptions = {
  deps: ApiDeps;
  limiter: Limiter;
  /** Whether every answer is checked against its schema, as in tests. */
  checkResponses: boolean;
};

/**
 * The steps of every call after `admit`, in this order: over REST (`mount.ts`) and by a tool of an agent
 * (`mcp/call.ts`).
 */
export type Call = {
  /** The dependencies of the caller's mode, live or test. */
  depsOf(caller: Caller): ApiDeps;
  /** @param further faults that only this way of calling can have. @throws ServiceError that lists every fault */
  validate(caller: Caller, input: unknown, further?: () => Fault[]): void;
  /**
   * Makes the change, which the audit log keeps if its verb says so, and checks the answer.
   * @param received the file, of an operation that takes one
   */
  run(caller: Caller, input: unknown, received?: unknown): Promise<object>;
};

/**
 * Lets a caller pass whose key has the scope, and whose account is within the limit.
 * @param onUsage called with the state of the limit
 */
export async function admit(
  { scope, limit }: Route | StreamOperation,
  { limiter }: Pick<CallOptions, 'limiter'>,
  caller: Caller,
  onUsage?: (usage: Usage) => void,
): Promise<void> {
  requireScope(caller, scope);
  await requireAllowed(limiter, limit, caller.account, onUsage);
}

/** The parameters of a query, with the entries of each that is an object in one. */
export function parametersOf(entry: Route | StreamOperation): (query: Caller['query']) => Caller['query'] {
  const { properties = {} } = entry.request as { properties?: Readonly<Record<string, { type?: unknown }>> };
  const names = entry.input === 'query' ? Object.keys(properties) : [];
  const objects = names.filter((name) => properties[name]?.type === 'object');
  return objects.length === 0 ? (query) => query : (query) => nestedEntries(query, objects);
}

/**
 * The parameters of a read that are given: an empty one counts as left out, as forms and agents send all of their
 * fields. A list may be empty.
 */
export function givenOf({ input }: Route | StreamOperation, all: Caller['query']): Caller['query'] {
  if (input !== 'query') return all;
  return Object.fromEntries(Object.entries(all).filter(([name, value]) => value !== '' || IN_COMMAS.has(name)));
}

/** How an operation that answers once is called. */
export function callOf(entry: Route, { deps, checkResponses }: CallOptions): Call {
  const validate = createValidator(entry.request);
  const unknownIn = unknownInBody(entry);
  const warningsIn = warningsOf(entry);
  const modes = modesOf(deps);
  const depsOf = (caller: Caller) => modes(caller.account);
  const check = checkResponses ? createResponseCheck(entry.response) : () => {};
  return {
    depsOf,
    validate(caller, input, further = () => []) {
      validate(input, (given) => [...further(), ...unknownIn(given), ...(entry.faults?.(depsOf(caller), given) ?? [])]);
    },
    async run(caller, input, received = input) {
      const own = depsOf(caller);
      const audit = auditOf(entry, caller);
      const answer = await entry.run({ ...own, request: caller.request, audit }, caller, received as never);
      Object.assign(answer, warningsIn(input, answer));
      if (entry.method !== 'get') own.reads.changed(caller.account.id);
      check(answer);
      return answer;
    },
  };
}

/** Keeps the changes of an operation in the audit log, each in its transaction. The verbs say what they changed. */
function auditOf({ method, path }: Route, { account, key, ip }: Caller): KeepChange {
  return (tx, { name = null, ...details }) =>
    appendAudit(tx, {
      actor: key.memberId === null ? `key ${key.id}` : `member ${key.memberId}`,
      action: `${method.toUpperCase()} ${path}`,
      accountId: account.id,
      details: { ...details, ip },
      names: { actor: key.name ?? key.hint, object: name },
    });
}
