import { createKeyedBatcher } from '../batcher.ts';
import type { Db } from '../connection.ts';
import { isDatabaseUnreachable } from '../errors.ts';
import { CONFIRM_MS, DeadlineError, within } from '../pool.ts';
import { type RegisterInput, type RegisterResult, storeInOneStatement } from './register-statement.ts';

export type { Registered, RegisterInput, RegisterResult, Registration } from './register-statement.ts';

/** Numbers in a statement that several calls share. */
const MAX_ROWS = 400;
/** Statements of an account: one inserts its rows while the other waits for the account's quota, or for its commit. */
const CONCURRENCY = 2;

/** `isGone`: its caller's deadline is over. */
type Call = { db: Db; input: RegisterInput; isGone: boolean };
type Outcome = { result: RegisterResult } | { error: unknown };

const gatherers = new WeakMap<Db['$pool'], (key: string, call: Call) => Promise<Outcome>>();

/**
 * Stores registrations of an account, all or nothing (`storeInOneStatement`).
 *
 * Statements of one account wait for each other anyway, because each updates the account's quota; so while they run, the calls that
 * arrive gather and share the next one. A call alone never waits, and each has its own outcome, as if it had arrived alone.
 * @returns one entry for each registration, in their order.
 * @throws DeadlineError when the caller's deadline is over before its statement has begun or ended.
 */
export async function storeRegistrations(db: Db, input: RegisterInput): Promise<RegisterResult> {
  if (input.registrations.length === 0) return { kind: 'registered', trackings: [] };
  const gather = gatherers.get(db.$pool) ?? createGatherer();
  gatherers.set(db.$pool, gather);
  // A change of the plan takes effect with the next request, so two limits may be in use for a moment.
  const key = `${input.accountId} ${input.quotaLimit}`;
  const call: Call = { db, input, isGone: false };
  // A statement with the same deadline fails first.
  const outcome = await within(db.$statementMs + CONFIRM_MS, gather(key, call), () => {
    call.isGone = true;
    throw new DeadlineError(db.$statementMs);
  });
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

function createGatherer() {
  const sizeOf = ({ input }: Call) => input.registrations.length;
  return createKeyedBatcher({ max: MAX_ROWS, concurrency: CONCURRENCY, sizeOf }, (_key, calls: Call[]) =>
    storeForCallers(calls),
  );
}

/** Registers for the callers that still wait, within the deadline of the last, who may wait longest. */
async function storeForCallers(calls: readonly Call[]): Promise<Outcome[]> {
  const waiting = calls.filter(({ isGone }) => !isGone);
  const inputs = waiting.map(({ input }) => input);
  const last = waiting.at(-1);
  const outcomes = last === undefined ? [] : await storeTogether(last.db, inputs);
  const gone: Outcome = { error: new Error('its caller no longer waits') };
  return calls.map((call) => outcomes[waiting.indexOf(call)] ?? gone);
}

/**
 * Registers what several calls of an account ask for, in one statement, or, if it is refused, in one for each in their order: only those
 * that cannot be stored fail.
 */
async function storeTogether(db: Db, inputs: readonly RegisterInput[]): Promise<Outcome[]> {
  const [first, ...others] = inputs;
  if (!first) return [];
  if (others.length === 0) return [await outcomeOf(storeInOneStatement(db, first))];
  const registrations = inputs.flatMap((input) => input.registrations);
  const together = await outcomeOf(storeInOneStatement(db, { ...first, registrations }));
  if ('error' in together && isDatabaseUnreachable(together.error)) return inputs.map(() => together);
  if ('result' in together && together.result.kind === 'registered') return divide(together.result.trackings, inputs);
  const outcomes: Outcome[] = [];
  for (const input of inputs) outcomes.push(await outcomeOf(storeInOneStatement(db, input)));
  return outcomes;
}

async function outcomeOf(work: Promise<RegisterResult>): Promise<Outcome> {
  return work.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
}

/** Each call's share of what one statement has registered, in their order. */
function divide(
  trackings: Extract<RegisterResult, { kind: 'registered' }>['trackings'],
  inputs: readonly RegisterInput[],
): Outcome[] {
  let end = 0;
  return inputs.map(({ registrations: { length } }) => {
    end += length;
    return { result: { kind: 'registered', trackings: trackings.slice(end - length, end) } };
  });
}
