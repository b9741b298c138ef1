import { quotaLimit } from '@pts/core/account';
import { ServiceError } from '@pts/core/errors';
import type { Account } from '@pts/db/accounts/accounts';
import { type Previewed, previewTrackings } from '@pts/db/trackings/preview';
import { type Registered, type RegisterInput, type Registration, storeRegistrations } from '@pts/db/trackings/register';
import { currentTraceparent, nameTrackings, traced } from '@pts/runtime/tracing/tracing';
import type { ServiceContext } from '../context.ts';
import { type ChoiceContext, loadLearned } from './choose-carrier.ts';
import { type RegistrationInput, toRegistration } from './registration.ts';
import { wakePollers } from './wake-pollers.ts';
import { withinQuota } from './within-quota.ts';

type Context = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'quotas' | 'now' | 'request'>;
type PreviewContext = Pick<ServiceContext, 'db' | 'quotas' | 'now' | 'request'>;

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
  const registration = await chooseFor(ctx, input);
  return only(await registerAll(ctx, account, [registration]));
}

/** What `registerTracking` would do now: nothing is stored, charged or queried. @throws ServiceError as it does. */
export async function previewTracking(
  ctx: PreviewContext & ChoiceContext,
  account: Account,
  input: RegistrationInput,
): Promise<Previewed> {
  const registration = await chooseFor(ctx, input);
  return only(await previewAll(ctx, account, [registration]));
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
  return ofAcceptable(items, (wanted) => registerAll(ctx, account, wanted));
}

/** What `registerMany` would do now: nothing is stored, charged or queried. @throws ServiceError `quota_exhausted`. */
export function previewMany<Given>(
  ctx: PreviewContext,
  account: Account,
  items: readonly BulkItem<Given>[],
): Promise<Outcome<Given, Previewed>> {
  return ofAcceptable(items, (wanted) => previewAll(ctx, account, wanted));
}

/** Retries to fit a part into a quota that concurrent requests use up. */
const TRIES = 3;

/**
 * `registerMany` for a part of a stream or file. If the quota is too small, as many as fit are registered, in their order, and the
 * others are refused with `quota_exhausted`; numbers that are registered already need no quota.
 */
export function registerWhatFits<Given>(
  ctx: Context,
  account: Account,
  items: readonly BulkItem<Given>[],
): Promise<Outcome<Given, Registered>> {
  return ofAcceptable(items, async (wanted) => {
    let fits = wanted.map(() => true);
    for (let tries = 0; fits.includes(true) && tries <= TRIES; tries++) {
      const fitting = wanted.filter((_, index) => fits[index]);
      const trackings = (await storeAndWake(ctx, account, fitting))?.values();
      if (trackings) return fits.map((fit) => (fit ? (trackings.next().value ?? null) : null));
      // The last try is with numbers that are registered already: no other request can take their place.
      fits = await withinQuota(ctx.db, requestOf(ctx, account, wanted), { onlyKnown: tries === TRIES - 1 });
    }
    return wanted.map(() => null);
  });
}

/**
 * Every registration comes through here: charges and stores all of them or none, and wakes the pollers for the new ones.
 * @returns one tracking for each registration, in their order; null if the quota is too small.
 */
async function storeAndWake(
  ctx: Context,
  account: Account,
  registrations: readonly Registration[],
): Promise<Registered[] | null> {
  const request = requestOf(ctx, account, registrations);
  const result = await traced('store trackings', {}, () => storeRegistrations(ctx.db, request));
  if (result.kind === 'quota_exhausted') return null;
  nameTrackings(
    ctx.request,
    result.trackings.map(({ id }) => id),
  );
  const due = result.trackings.filter(({ created, named }) => created || named);
  // Nobody waits for it.
  void wakePollers(ctx, account.id, due);
  return result.trackings;
}

/** @throws ServiceError `quota_exhausted`. */
async function registerAll(
  ctx: Context,
  account: Account,
  registrations: readonly Registration[],
): Promise<Registered[]> {
  const trackings = await storeAndWake(ctx, account, registrations);
  if (!trackings) throw quotaTooSmall(registrations);
  return trackings;
}

/** @throws ServiceError `quota_exhausted`. */
async function previewAll(
  ctx: PreviewContext,
  account: Account,
  registrations: readonly Registration[],
): Promise<Previewed[]> {
  const result = await previewTrackings(ctx.db, requestOf(ctx, account, registrations));
  if (result.kind === 'quota_exhausted') throw quotaTooSmall(registrations);
  return result.trackings;
}

/** Some units may be left, but fewer than a call with several numbers needs. */
function quotaTooSmall({ length }: readonly Registration[]): ServiceError {
  if (length === 1) return new ServiceError('quota_exhausted');
  return new ServiceError('quota_exhausted', {
    text: 'What is left of the monthly quota is too little for the new numbers of this call. Nothing was registered: send no more new numbers than quota_remaining in GET /api/v1/account. The quota resets on the 1st of next month (UTC); a larger plan takes effect at once.',
  });
}

/** Adds the account, its quota, the time and the request behind it to registrations. */
function requestOf(
  { quotas, now, request }: Pick<PreviewContext, 'quotas' | 'now' | 'request'>,
  { id, plan, quotaOverride }: Account,
  registrations: readonly Registration[],
): RegisterInput {
  const origin = { requestId: request?.requestId ?? null, traceparent: currentTraceparent() };
  return {
    accountId: id,
    quotaLimit: quotaLimit(plan, quotaOverride, quotas),
    registrations: registrations.map((registration) => ({ ...registration, origin })),
    now: now(),
  };
}

/** @param work for each registration its tracking; null if the quota is too small for it. */
async function ofAcceptable<Given, T>(
  items: readonly BulkItem<Given>[],
  work: (registrations: Registration[]) => Promise<(T | null)[]>,
): Promise<Outcome<Given, T>> {
  const trackings = await work(items.flatMap(({ wanted }) => (wanted instanceof ServiceError ? [] : wanted)));
  const next = trackings.values();
  const accepted: Outcome<Given, T>['accepted'] = [];
  const refused: Refused<Given>[] = [];
  for (const { given, wanted } of items) {
    const result = wanted instanceof ServiceError ? wanted : (next.next().value ?? new ServiceError('quota_exhausted'));
    if (result instanceof ServiceError) refused.push({ given, error: result });
    else accepted.push({ given, tracking: result });
  }
  return { accepted, refused };
}

/** The carrier of one number, with the carriers that have known numbers like it. @throws ServiceError as `toRegistration` */
async function chooseFor(ctx: ChoiceContext, input: RegistrationInput): Promise<Registration> {
  await loadLearned(ctx, [input]);
  return toRegistration(ctx, input);
}

function only<T>([tracking]: readonly T[]): T {
  if (tracking === undefined) throw new Error('a registration came back with no tracking');
  return tracking;
}
