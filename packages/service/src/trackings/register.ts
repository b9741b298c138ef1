import { ServiceError } from '@pts/core/errors';
import type { Account } from '@pts/db/accounts/accounts';
import { type Previewed, previewTrackings } from '@pts/db/trackings/preview';
import { type Registered, type Registration, registerTrackings } from '@pts/db/trackings/register';
import { currentOrigin, nameTrackings, traced } from '@pts/runtime/tracing/tracing';
import type { ServiceContext } from '../context.ts';
import type { ChoiceContext } from './choose-carrier.ts';
import { type RegistrationInput, readRegistration } from './registration.ts';
import { wakePollers } from './wake-pollers.ts';
import { quotaOf, withinQuota } from './within-quota.ts';

type Context = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'quotas' | 'now'>;
type PreviewContext = Pick<ServiceContext, 'db' | 'quotas' | 'now'>;

/** An item of a call with several, with its registration or the reason for its refusal. */
export type BulkItem<Given> = { given: Given; wanted: Registration | ServiceError };
/** A refused item and the reason. */
export type Refused<Given> = { given: Given; error: ServiceError };
/** What became of the items of a call, each list in their order. */
export type Outcome<Given, T> = { accepted: { given: Given; tracking: T }[]; refused: Refused<Given>[] };

/**
 * Registers one number for an account, charges a unit if it is new, and checks it with its carrier at once.
 * @throws ServiceError when the number cannot be registered (`toRegistration`), and `quota_exhausted`.
 */
export async function registerTracking(
  ctx: Context & ChoiceContext,
  account: Account,
  input: RegistrationInput,
): Promise<Registered> {
  return only(orExhausted(await register(ctx, account, [await readRegistration(ctx, input)])));
}

/** What `registerTracking` would do now: nothing is stored, charged or queried. @throws ServiceError as it does. */
export async function previewTracking(
  ctx: PreviewContext & ChoiceContext,
  account: Account,
  input: RegistrationInput,
): Promise<Previewed> {
  return only(await preview(ctx, account, [await readRegistration(ctx, input)]));
}

/**
 * Registers the items of a bulk call, which share a statement. A refused item does not affect the others; new ones are charged
 * together, or, if the quota is too small for them, nothing is stored.
 * @throws ServiceError `quota_exhausted`.
 */
export function registerMany<Given>(
  ctx: Context,
  account: Account,
  items: readonly BulkItem<Given>[],
): Promise<Outcome<Given, Registered>> {
  return eachOf(items, async (wanted) => orExhausted(await register(ctx, account, wanted)));
}

/** What `registerMany` would do now: nothing is stored, charged or queried. @throws ServiceError `quota_exhausted`. */
export function previewMany<Given>(
  ctx: PreviewContext,
  account: Account,
  items: readonly BulkItem<Given>[],
): Promise<Outcome<Given, Previewed>> {
  return eachOf(items, (wanted) => preview(ctx, account, wanted));
}

/**
 * `registerMany` for a part of a stream or file. If the quota is too small, as many as fit are registered, in their order, and the
 * others are refused with `quota_exhausted`; numbers that are registered already need no quota.
 */
export function registerWhatFits<Given>(
  ctx: Context,
  account: Account,
  items: readonly BulkItem<Given>[],
): Promise<Outcome<Given, Registered>> {
  return eachOf(items, async (wanted) => {
    let fits = wanted.map(() => true);
    for (let tries = 0; fits.includes(true) && tries <= TRIES; tries++) {
      const registered = await register(
        ctx,
        account,
        wanted.filter((_, index) => fits[index]),
      );
      const trackings = registered?.values();
      if (trackings) return fits.map((fit) => (fit ? (trackings.next().value ?? null) : null));
      fits = await withinQuota(ctx, account, wanted, { onlyKnown: tries === TRIES - 1 });
    }
    return wanted.map(() => null);
  });
}

/** Retries to fit a part into a quota that concurrent requests use up. */
const TRIES = 3;

/**
 * The one way in: charges and stores all of them or none, and wakes the pollers for the new ones.
 * @returns one tracking for each registration, in their order; null if the quota is too small.
 */
async function register(
  ctx: Context,
  account: Account,
  registrations: readonly Registration[],
): Promise<Registered[] | null> {
  const result = await traced('store trackings', {}, () =>
    registerTrackings(ctx.db, requestOf(ctx, account, registrations)),
  );
  if (result.kind === 'quota_exhausted') return null;
  nameTrackings(result.trackings.map(({ id }) => id));
  await wakePollers(ctx, result.trackings);
  return result.trackings;
}

async function preview(
  ctx: PreviewContext,
  account: Account,
  registrations: readonly Registration[],
): Promise<Previewed[]> {
  const result = await previewTrackings(ctx.db, requestOf(ctx, account, registrations));
  return orExhausted(result.kind === 'quota_exhausted' ? null : result.trackings);
}

function requestOf(ctx: PreviewContext, account: Account, registrations: readonly Registration[]) {
  const origin = currentOrigin();
  return {
    accountId: account.id,
    quotaLimit: quotaOf(ctx, account),
    registrations: registrations.map((registration) => ({ ...registration, origin })),
    now: ctx.now(),
  };
}

/** @param registerAll for each registration its tracking; null if the quota is too small for it. */
async function eachOf<Given, T>(
  items: readonly BulkItem<Given>[],
  registerAll: (registrations: Registration[]) => Promise<(T | null)[]>,
): Promise<Outcome<Given, T>> {
  const refused = items.flatMap(({ given, wanted }) =>
    wanted instanceof ServiceError ? { given, error: wanted } : [],
  );
  const acceptable = items.flatMap(({ given, wanted }) => (wanted instanceof ServiceError ? [] : { given, wanted }));
  const trackings = await registerAll(acceptable.map(({ wanted }) => wanted));
  const accepted: Outcome<Given, T>['accepted'] = [];
  for (const [index, { given }] of acceptable.entries()) {
    const tracking = trackings[index];
    if (tracking) accepted.push({ given, tracking });
    else if (tracking === null) refused.push({ given, error: new ServiceError('quota_exhausted') });
  }
  return { accepted, refused };
}

function orExhausted<T>(trackings: T[] | null): T[] {
  if (!trackings) throw new ServiceError('quota_exhausted');
  return trackings;
}

function only<T>([tracking]: readonly T[]): T {
  if (!tracking) throw new Error('a registration came back with no tracking');
  return tracking;
}
