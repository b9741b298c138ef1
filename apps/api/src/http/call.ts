import type { Plan } from '@pts/core/account';
import { nestedEntries } from '@pts/core/entries';
import type { Fault } from '@pts/core/errors';
import type { Include } from '@pts/core/tracking/fields';
import type { KeyHolder } from '@pts/db/accounts/accounts';
import { type AuditEntry, appendAudit } from '@pts/db/audit';
import { modesOf } from '@pts/service/accounts';
import type { KeepChange } from '@pts/service/context';
import type { ApiDeps } from '../deps.ts';
import { type Authenticator, type Holder, requireScope } from './authenticate.ts';
import { type Limiter, requireAllowed, type Usage } from './limits/limits.ts';
import type { Caller, OperatorHolder, Route } from './operation.ts';
import { createResponseCheck, createValidator, IN_COMMAS, unknownInBody, warningsOf } from './validate.ts';

/** Whose keys a table of operations is for, and what a key means to a call. */
type Audience<H extends Holder> = {
  authenticator: Authenticator<H>;
  /** Whom requests are counted and kept for, and how the log calls it. */
  ownerOf(holder: H): { id: string; plan?: Plan; include: readonly Include[]; logged: object };
  /** @throws ServiceError `forbidden` if the key lacks the scope of an operation. */
  requireScope(holder: H, scope: Route['scope']): void;
  /** The dependencies of an operation. */
  depsOf(deps: ApiDeps): (holder: H) => ApiDeps;
  /** The entry that the audit log has of a change before it is made, besides what it is; null: none. */
  entryOf(holder: H, input: Given): Omit<AuditEntry, 'action'> | null;
  /** Keeps what a verb says that it changes in the audit log, in its transaction; undefined: the verb keeps nothing. */
  keepOf(holder: H, route: Pick<Route, 'method' | 'path'>, from: Pick<Caller, 'ip'>): KeepChange | undefined;
};

/** Operations of accounts. Their verbs say what they change. */
export function forAccounts(authenticator: Authenticator): Audience<KeyHolder> {
  return {
    ...{ authenticator, requireScope },
    ownerOf: ({ account: { id, plan, include } }) => ({ id, plan, include, logged: { accountId: id } }),
    depsOf: (deps) => {
      const modes = modesOf(deps);
      return ({ account }) => modes(account);
    },
    entryOf: () => null,
    keepOf:
      ({ account, key }, { method, path }, { ip }) =>
      (tx, { name = null, ...details }) =>
        appendAudit(tx, {
          actor: key.memberId === null ? `key ${key.id}` : `member ${key.memberId}`,
          action: `${method.toUpperCase()} ${path}`,
          accountId: account.id,
          details: { ...details, ip },
          names: { actor: key.name ?? key.hint, object: name },
        }),
  };
}

/** Fields that the audit log does not keep, because its entries outlive the account. */
const PERSONAL = ['name', 'confirm'];

/** Operations of platforms. The audit log has all their changes, as those of the command line. */
export function forOperators(authenticator: Authenticator<OperatorHolder>): Audience<OperatorHolder> {
  return {
    authenticator,
    ownerOf: ({ key: { id } }) => ({ id, include: [], logged: { operatorKeyId: id } }),
    requireScope: () => {},
    depsOf: (deps) => () => deps,
    keepOf: () => undefined,
    entryOf: ({ key }, input) => {
      // An account that is created has no id yet: its verb keeps the entry.
      if (typeof input.id !== 'string') return null;
      const kept = Object.entries(input).filter(
        ([name, value]) => !PERSONAL.includes(name) && typeof value !== 'object',
      );
      const details = { ...(Object.fromEntries(kept) as AuditEntry['details']), operator_key: key.id };
      return { actor: operatorActor(key), accountId: input.id, details };
    },
  };
}

/** How the audit log names a platform. */
export function operatorActor({ name }: OperatorHolder['key']): string {
  return `operator ${name}`;
}

type Given = Readonly<Record<string, unknown>>;

export type CallOptions<H extends Holder = KeyHolder> = {
  deps: ApiDeps;
  limiter: Limiter;
  audience: Audience<H>;
  /** Whether every answer is checked against its schema, as in tests. */
  checkResponses: boolean;
};

/**
 * The steps of every call after `admit`, in this order: over REST (`mount.ts`) and by a tool of an agent
 * (`mcp/mcp-server.ts`).
 */
type Call<H = KeyHolder> = {
  /** The dependencies of the caller's mode, live or test. */
  depsOf(caller: H): ApiDeps;
  /** @param further faults that only this way of calling can have. @throws ServiceError that lists every fault */
  validate(caller: H, input: unknown, further?: () => Fault[]): void;
  /**
   * Makes the change, which the audit log keeps if its verb says so, and checks the answer.
   * @param received the file, of an operation that takes one
   */
  run(caller: Caller<H>, input: unknown, received?: unknown): Promise<object>;
};

/**
 * Lets a caller pass whose key has the scope, and whose account is within the limit.
 * @param onUsage called with the state of the limit
 */
export async function admit<H extends Holder>(
  { scope, limit }: Pick<Route, 'scope' | 'limit'>,
  { limiter, audience }: Pick<CallOptions<H>, 'limiter' | 'audience'>,
  holder: H,
  onUsage?: (usage: Usage) => void,
): Promise<void> {
  audience.requireScope(holder, scope);
  await requireAllowed(limiter, limit, audience.ownerOf(holder), onUsage);
}

/** The parameters of a query, with the entries of each that is an object in one. */
export function parametersOf(entry: Pick<Route, 'request' | 'input'>): (query: Caller['query']) => Caller['query'] {
  const { properties = {} } = entry.request as { properties?: Readonly<Record<string, { type?: unknown }>> };
  const names = entry.input === 'query' ? Object.keys(properties) : [];
  const objects = names.filter((name) => properties[name]?.type === 'object');
  return objects.length === 0 ? (query) => query : (query) => nestedEntries(query, objects);
}

/**
 * The parameters of a read that are given: an empty one counts as left out, as forms and agents send all of their
 * fields. A list may be empty.
 */
export function givenOf({ input }: Pick<Route, 'input'>, all: Caller['query']): Caller['query'] {
  if (input !== 'query') return all;
  return Object.fromEntries(Object.entries(all).filter(([name, value]) => value !== '' || IN_COMMAS.has(name)));
}

/** How an operation that answers once is called. */
export function callOf<H extends Holder>(entry: Route<H>, { deps, audience, checkResponses }: CallOptions<H>): Call<H> {
  const validate = createValidator(entry.request);
  const unknownIn = unknownInBody(entry);
  const warningsIn = warningsOf(entry);
  const depsOf = audience.depsOf(deps);
  const check = checkResponses ? createResponseCheck(entry.response) : () => {};
  return {
    depsOf,
    validate(caller, input, further = () => []) {
      validate(input, (given) => [...further(), ...unknownIn(given), ...(entry.faults?.(depsOf(caller), given) ?? [])]);
    },
    async run(caller, input, received = input) {
      const own = depsOf(caller);
      if (entry.method !== 'get') await audit(own, audience.entryOf(caller, input as Given), entry, caller);
      const keep = audience.keepOf(caller, entry, caller);
      const answer = await entry.run({ ...own, request: caller.request, audit: keep }, caller, received as never);
      Object.assign(answer, warningsIn(input, answer));
      if (entry.method !== 'get') own.reads.changed(audience.ownerOf(caller).id);
      check(answer);
      return answer;
    },
  };
}

/** Keeps a change in the audit log, before it is made. */
async function audit(
  { db }: ApiDeps,
  entry: Omit<AuditEntry, 'action'> | null,
  { method, path }: Pick<Route, 'method' | 'path'>,
  { ip }: Pick<Caller, 'ip'>,
): Promise<void> {
  if (entry === null) return;
  const action = `${method.toUpperCase()} ${path}`;
  await appendAudit(db, { ...entry, action, details: { ...entry.details, ip } });
}
