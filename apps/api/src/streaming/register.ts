import { ApiError } from '@pts/core/errors';
import { quotaUsed } from '@pts/db/accounts';
import { type Registered, type Registration, registerTrackings } from '@pts/db/register';
import { findByNumbers } from '@pts/db/trackings';
import { type ItemError, order, readItem, toItemError, wake } from '../bulk.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../endpoint.ts';
import type { Item } from './input.ts';
import { createTurns } from './turns.ts';

export type Accepted = { index: number; id: string };
export type Refused = { index: number; error: ItemError };

/** How often it is tried again to fit a batch into a quota that others use up at the same time. */
const TRIES = 3;

/**
 * Registers a batch of a stream in one statement. When the quota ends within it, as many as fit are registered, in
 * their order, and the others are refused; numbers that are registered already need no quota.
 */
export async function registerBatch(
  deps: ApiDeps,
  caller: Caller,
  items: readonly Item[],
): Promise<{ accepted: Accepted[]; refused: Refused[] }> {
  const refused: Refused[] = [];
  const wanted: { index: number; registration: Registration; value: unknown }[] = [];
  const turns = createTurns();
  for (const item of items) {
    await turns.next();
    if ('fault' in item) refused.push({ index: item.index, error: toItemError(null, item.fault) });
    else {
      const outcome = readItem(deps, item.value);
      if ('errorCode' in outcome) refused.push({ index: item.index, error: outcome });
      else wanted.push({ index: item.index, registration: outcome, value: item.value });
    }
  }
  const registered = await registerWhatFits(
    deps,
    caller,
    wanted.map(({ registration }) => registration),
  );
  await wake(deps, [...registered.values()]);
  const accepted: Accepted[] = [];
  for (const { index, registration, value } of wanted) {
    const tracking = registered.get(keyOf(registration));
    if (tracking) accepted.push({ index, id: tracking.id });
    else refused.push({ index, error: toItemError(asObject(value), new ApiError('quota_exhausted')) });
  }
  return { accepted, refused };
}

function asObject(value: unknown): unknown {
  return typeof value === 'string' ? { tracking_number: value } : value;
}

function keyOf({ trackingNumber, carrier }: { trackingNumber: string; carrier: string }): string {
  return `${trackingNumber} ${carrier}`;
}

async function registerWhatFits(
  deps: ApiDeps,
  caller: Caller,
  registrations: readonly Registration[],
): Promise<Map<string, Registered>> {
  let fitting = registrations;
  for (let tries = 0; fitting.length > 0 && tries <= TRIES; tries++) {
    const batch = fitting;
    const register = () => registerTrackings(deps.db, order(deps, caller.account, batch));
    const result = await deps.bulkhead.run(caller.account.id, register);
    if (result.kind === 'registered') {
      const byKey = new Map<string, Registered>();
      // Of a number that is given twice the first entry says whether it was created.
      for (const tracking of result.trackings) if (!byKey.has(keyOf(tracking))) byKey.set(keyOf(tracking), tracking);
      return byKey;
    }
    fitting = await withinQuota(deps, caller, fitting, tries === TRIES - 1);
  }
  return new Map();
}

/** Those that are registered already, and as many of the others as there is quota for. */
async function withinQuota(
  deps: ApiDeps,
  { account }: Caller,
  registrations: readonly Registration[],
  onlyKnown: boolean,
): Promise<Registration[]> {
  const numbers = registrations.map(({ trackingNumber }) => trackingNumber);
  const known = new Set((await findByNumbers(deps.db, account.id, numbers)).map(keyOf));
  const { quotaLimit } = order(deps, account, []);
  let left = onlyKnown ? 0 : Math.max(0, quotaLimit - (await quotaUsed(deps.db, account.id, deps.now())));
  return registrations.filter((registration) => {
    const key = keyOf(registration);
    if (known.has(key)) return true;
    if (left === 0) return false;
    left -= 1;
    known.add(key);
    return true;
  });
}
