import { isDeepStrictEqual } from 'node:util';
import { askOrder, type Choice, chooseCarrier, MIN_CONFIDENCE } from '@pts/carriers/detection/choose-carrier';
import { detectWithReasons } from '@pts/carriers/detection/detect';
import { countriesOf } from '@pts/carriers/detection/evidence';
import type { Provider } from '@pts/carriers/provider';
import { providerFor } from '@pts/carriers/providers/configured';
import { type CarrierField, carrierNamed, carriers, findCarrier } from '@pts/carriers/registry/registry';
import { quotaLimit } from '@pts/core/account';
import { chunks } from '@pts/core/chunks';
import { type Fault, refusal, ServiceError } from '@pts/core/errors';
import { damageOf } from '@pts/core/imports';
import { type Message, message } from '@pts/core/languages/message';
import { nearest } from '@pts/core/sent-instead';
import { isSeveralNumbers, normaliseNumber } from '@pts/core/tracking/number';
import { type CandidateCarrier, MAX_CANDIDATES } from '@pts/core/tracking/undecided';
import { type Account, quotaUsed } from '@pts/db/accounts/accounts';
import { createBatcher } from '@pts/db/batcher';
import type { Db } from '@pts/db/connection';
import { fromWire, INPUT_NAMES, type TrackingInputs, type WireInputs } from '@pts/db/trackings/inputs';
import { findByNumbers, updateInputs } from '@pts/db/trackings/records';
import {
  findKnown,
  inputsOf,
  newOnes,
  type Previewed,
  previewTrackings,
  type Registered,
  type RegisterInput,
  type Registration,
  storeRegistrations,
} from '@pts/db/trackings/register';
import { queryQueue } from '@pts/queue/catalog';
import { currentTraceparent, nameTrackings, type SpanStart, traced } from '@pts/runtime/tracing/tracing';
import type { ServiceContext } from '../context.ts';

type Context = Pick<ServiceContext, 'db' | 'producer' | 'providers' | 'quotas' | 'now' | 'request'>;
type PreviewContext = Pick<ServiceContext, 'db' | 'quotas' | 'now' | 'request'>;

/**
 * The outcome of a registration: the tracking with the merchant's fields as they are stored now. `updated`: it was
 * known, and this registration has changed its fields or named its carrier.
 */
export type RegisteredTracking = Registered & { updated: boolean };

/** An item of a call with several, with its registration or the reason for its refusal. */
export type BulkItem<Given> = { given: Given; wanted: Registration | ServiceError };
/** A refused item and the reason. */
export type Refused<Given> = { given: Given; error: ServiceError };
/** The outcome for the items of a call, each list in their order. */
type Outcome<Given, T> = { accepted: { given: Given; tracking: T }[]; refused: Refused<Given>[] };

/**
 * Registers one number for an account, charges a unit if it is new, and checks it with its carrier at once.
 * @throws ServiceError when the number cannot be registered (`toRegistration`), and `quota_exhausted`.
 */
export async function registerTracking(
  ctx: Context & ChoiceContext,
  account: Account,
  input: RegistrationInput,
): Promise<RegisteredTracking> {
  const registration = await chooseFor(ctx, account, input);
  return only(await registerAll(ctx, account, [registration]));
}

/** Previews `registerTracking` as of now: nothing is stored, charged or queried. @throws ServiceError as it does. */
export async function previewTracking(
  ctx: PreviewContext & ChoiceContext,
  account: Account,
  input: RegistrationInput,
): Promise<Previewed> {
  const registration = await chooseFor(ctx, account, input);
  return only(await previewAll(ctx, account, [registration]));
}

/**
 * Registers the items of a bulk call, which share a statement. A refused item does not affect the others; new ones are
 * charged together, or, if the quota is too small for them, nothing is stored.
 * @throws ServiceError `quota_exhausted`.
 */
export function registerMany<Given>(
  ctx: Context,
  account: Account,
  items: readonly BulkItem<Given>[],
): Promise<Outcome<Given, RegisteredTracking>> {
  return ofAcceptable(items, (wanted) => registerAll(ctx, account, wanted));
}

/** Previews `registerMany` as of now: nothing is stored, charged or queried. @throws ServiceError `quota_exhausted`. */
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
 * `registerMany` for a part of a stream or file. If the quota is too small, as many as fit are registered, in their
 * order, and the others are refused with `quota_exhausted`; numbers that are registered already need no quota.
 */
export function registerWhatFits<Given>(
  ctx: Context,
  account: Account,
  items: readonly BulkItem<Given>[],
): Promise<Outcome<Given, RegisteredTracking>> {
  return ofAcceptable(items, async (wanted) => {
    let fits = wanted.map(() => true);
    for (let tries = 0; fits.includes(true) && tries <= TRIES; tries++) {
      const fitting = wanted.flatMap((registration, place) => (fits[place] ? [{ registration, place }] : []));
      const stored = await storeAndWake(
        ctx,
        account,
        fitting.map(({ registration }) => registration),
      );
      if (stored) {
        const trackings: (RegisteredTracking | null)[] = wanted.map(() => null);
        for (const [n, { place }] of fitting.entries()) trackings[place] = stored[n] ?? null;
        return trackings;
      }
      // The last try has only numbers that are registered already, which need no quota.
      fits = await withinQuota(ctx.db, requestOf(ctx, account, wanted), { onlyKnown: tries === TRIES - 1 });
    }
    return wanted.map(() => null);
  });
}

/**
 * Every registration comes through here: charges and stores all of them or none, gives known trackings the fields that
 * they are registered with now, and wakes the pollers for the new ones.
 * @returns one tracking for each registration, in their order; null if the quota is too small.
 */
async function storeAndWake(
  ctx: Context,
  account: Account,
  registrations: readonly Registration[],
): Promise<RegisteredTracking[] | null> {
  const request = requestOf(ctx, account, registrations);
  const result = await traced('store trackings', {}, () => storeRegistrations(ctx.db, request));
  if (result.kind === 'quota_exhausted') return null;
  nameTrackings(
    ctx.request,
    result.trackings.map(({ id }) => id),
  );
  const due = result.trackings.filter(({ created, named }) => created || named);
  // The response does not wait for the queue.
  void wakePollers(ctx, account.id, due);
  return updateKnown(ctx, account.id, registrations, result.trackings);
}

/**
 * Gives known trackings the merchant's fields of these registrations; of several for one tracking, later ones win.
 * Absent fields stay, and `metadata` is replaced as a whole. Trackings that have the fields already cost no statement.
 */
async function updateKnown(
  { db, now }: Pick<Context, 'db' | 'now'>,
  accountId: string,
  registrations: readonly Registration[],
  trackings: readonly Registered[],
): Promise<RegisteredTracking[]> {
  const updates = new Map<string, TrackingInputs>();
  for (const [n, tracking] of trackings.entries()) {
    const registration = registrations[n];
    if (tracking.created || !registration) continue;
    const stored = { ...tracking, ...updates.get(tracking.id) };
    const given = inputsOf(registration);
    if (INPUT_NAMES.some((name) => given[name] !== undefined && !isDeepStrictEqual(given[name], stored[name])))
      updates.set(tracking.id, { ...updates.get(tracking.id), ...given });
  }
  await updateInputs(
    db,
    accountId,
    [...updates].map(([id, inputs]) => ({ id, inputs })),
    now(),
  );
  return trackings.map((tracking) => ({
    ...tracking,
    ...updates.get(tracking.id),
    updated: !tracking.created && (tracking.named === true || updates.has(tracking.id)),
  }));
}

/** @throws ServiceError `quota_exhausted`. */
async function registerAll(
  ctx: Context,
  account: Account,
  registrations: readonly Registration[],
): Promise<RegisteredTracking[]> {
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
  return new ServiceError('quota_exhausted', { text: message('quota_too_small') });
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
  const acceptable = items.flatMap(({ wanted }, place) => (wanted instanceof ServiceError ? [] : [{ wanted, place }]));
  const trackings = await work(acceptable.map(({ wanted }) => wanted));
  const trackingAt = new Map(acceptable.map(({ place }, n) => [place, trackings[n]]));
  const accepted: Outcome<Given, T>['accepted'] = [];
  const refused: Refused<Given>[] = [];
  for (const [place, { given, wanted }] of items.entries()) {
    if (wanted instanceof ServiceError) {
      refused.push({ given, error: wanted });
      continue;
    }
    const tracking = trackingAt.get(place) ?? null;
    if (tracking === null) refused.push({ given, error: new ServiceError('quota_exhausted') });
    else accepted.push({ given, tracking });
  }
  return { accepted, refused };
}

/**
 * The carrier of one number, with the carriers that have known numbers like it.
 * @throws ServiceError as `toRegistration`
 */
async function chooseFor(
  { providers, sandbox, learned }: ChoiceContext,
  { id: accountId }: Account,
  input: RegistrationInput,
): Promise<Registration> {
  const ctx = { providers, sandbox, learned, accountId };
  await loadLearned(ctx, [input]);
  return toRegistration(ctx, input);
}

function only<T>([tracking]: readonly T[]): T {
  if (tracking === undefined) throw new Error('a registration came back with no tracking');
  return tracking;
}

/**
 * Which registrations fit: those of known numbers, and, unless `onlyKnown`, as many others as the quota allows, in
 * their order.
 */
async function withinQuota(
  db: Db,
  { accountId, quotaLimit, registrations, now }: RegisterInput,
  { onlyKnown }: { onlyKnown: boolean },
): Promise<boolean[]> {
  const numbers = registrations.map(({ trackingNumber }) => trackingNumber);
  const known = await findByNumbers(db, accountId, numbers);
  const fresh = newOnes(registrations, known);
  let left = onlyKnown ? 0 : Math.max(0, quotaLimit - (await quotaUsed(db, accountId, now)));
  const taken: Parameters<typeof findKnown>[1][number][] = [...known];
  return registrations.map((registration) => {
    if (findKnown(registration, taken)) return true;
    if (left === 0) return false;
    if (fresh.has(registration)) left -= 1;
    taken.push({ ...registration, candidates: null });
    return true;
  });
}

export type RegistrationInput = {
  tracking_number: string;
  courier_code?: string;
} & WireInputs;

/** Faults beyond the schema: the format of the number, and whether the carrier is known. */
export function registrationFaults(ctx: Pick<ServiceContext, 'sandbox'>, input: Record<string, unknown>): Fault[] {
  return [...numberFaults(input), ...courierFaults(ctx, input)];
}

/** Checks the format of a `tracking_number`, if it is a string. */
export function numberFaults({ tracking_number: number }: Record<string, unknown>): Fault[] {
  if (typeof number !== 'string' || normaliseNumber(number) !== null) return [];
  const form = message(isSeveralNumbers(number) ? 'field.one_number' : 'field.number');
  return [{ field: 'tracking_number', message: damageOf(number.trim()) ?? form, error: 'invalid_number' }];
}

/**
 * `toRegistration` of an item, or the reason for its refusal.
 * @param read reads the item; it may throw a `ServiceError`, which is then the reason.
 */
export function registrationOrRefusal(ctx: ChoiceContext, read: () => RegistrationInput): Registration | ServiceError {
  try {
    return toRegistration(ctx, read());
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/**
 * The registration for an input: the normalized number, its carrier and the provider that serves it.
 * @throws ServiceError if the number is invalid, its carrier is unknown, cannot be detected or has no provider, or a
 *   field that the carrier needs is missing.
 */
function toRegistration(ctx: ChoiceContext, input: RegistrationInput): Registration {
  const trackingNumber = normaliseNumber(input.tracking_number);
  if (trackingNumber === null) throw refusal(registrationFaults(ctx, input));
  const { carrier, provider, detected, candidates } = chooseCarrierFor(ctx, trackingNumber, input);
  // Candidates are checked without the field that one of them requires: the number may belong to another.
  const needed = candidates ? [] : neededFaults(provider, carrier, input);
  if (needed.length > 0) throw refusal(needed);
  const { name, limits } = provider;
  const chosen = { trackingNumber, carrier, provider: name, detected, floorSeconds: limits.floorSeconds };
  return { ...chosen, ...(candidates && { candidates }), ...fromWire(input) };
}

/** The missing fields without which the provider gets no answer: a unit would be charged for nothing. */
function neededFaults(provider: Provider, carrier: string, input: RegistrationInput): Fault[] {
  const name = findCarrier(carrier, { sandbox: true })?.name ?? carrier;
  return lackingFields(provider, carrier, input).map((field) => ({
    field,
    message: message(`field.needed_${field}`, { carrier: name }),
    error: 'field_needed',
  }));
}

/** Checks that a `courier_code`, if it is a string, is a known carrier. */
export function courierFaults(
  { sandbox }: Pick<ServiceContext, 'sandbox'>,
  { courier_code: code }: Record<string, unknown>,
): Fault[] {
  const wanted = typeof code === 'string' ? courierWanted(code) : null;
  if (wanted === null || findCarrier(wanted, { sandbox })) return [];
  const instead = codeInstead(wanted, { sandbox }) ?? message('field.unknown_courier');
  return [{ field: 'courier_code', message: instead, error: 'unknown_courier' }];
}

/** Advice on what to send instead of a carrier's name or a misspelled code; null for another text. */
export function codeInstead(text: string, options: Pick<ServiceContext, 'sandbox'>): Message | null {
  const carrier = carrierNamed(text, options);
  if (carrier) return message('field.courier_name', { name: carrier.name, code: carrier.code });
  const codes = carriers(options).map(({ code }) => code);
  const meant = nearest(text, codes);
  return meant === undefined ? null : message('field.courier_meant', { meant });
}

/** The code that the merchant named; null for none and for `auto`. */
export function courierWanted(code: string | undefined): string | null {
  const wanted = code?.trim().toLowerCase() ?? '';
  return wanted === '' || wanted === 'auto' ? null : wanted;
}

/** The dependencies for choosing a carrier; without an account, no finds count. */
export type ChoiceContext = Pick<ServiceContext, 'providers' | 'sandbox' | 'learned'> & { accountId?: string };

/**
 * The result of detection for a number, among the carriers that the providers of this installation serve.
 * @param given the fields that name countries, as a merchant sends them.
 */
export function chooseServedCarrier(
  { providers, sandbox, learned, accountId }: ChoiceContext,
  trackingNumber: string,
  { destination_country: destination, phone }: Pick<Given, 'destination_country' | 'phone'>,
): Choice {
  return chooseCarrier(trackingNumber, {
    sandbox,
    serves: (carrier) => providers.some((provider) => provider.serves(carrier)),
    countries: countriesOf({ destination, phone }),
    ...(learned && accountId !== undefined && learned.findsFor(accountId, trackingNumber)),
  });
}

/** Loads which carriers have known numbers like these, where none is named; accepts inputs of any form. */
export async function loadLearned(
  { learned, accountId }: Pick<ChoiceContext, 'learned' | 'accountId'>,
  inputs: readonly unknown[],
): Promise<void> {
  if (!learned || accountId === undefined) return;
  const numbers = inputs.flatMap((input) => {
    if (typeof input === 'string') return [input];
    const { tracking_number: number, courier_code: code } = (input ?? {}) as Record<string, unknown>;
    const isNamed = typeof code === 'string' && courierWanted(code) !== null;
    return typeof number === 'string' && !isNamed ? [number] : [];
  });
  if (numbers.length > 0) await learned.load(accountId, numbers);
}

/** The carrier of a registration. */
type ChosenCarrier = {
  carrier: string;
  provider: Provider;
  detected: boolean;
  /** If `carrier` is only the likeliest: all candidates, in the order of their checks. */
  candidates?: CandidateCarrier[];
};

/** A number to choose a carrier for, with the fields that some carriers require. */
type Given = { [K in CarrierField]?: string | undefined } & { courier_code?: string | undefined };

/**
 * The carrier that a merchant names for a number, or that is detected, and the provider that serves it.
 * @throws ServiceError when the carrier is unknown, cannot be detected or has no provider.
 */
export function chooseCarrierFor(ctx: ChoiceContext, trackingNumber: string, given: Given): ChosenCarrier {
  const named = namedCarrier(ctx, given.courier_code);
  if (named === null) return detectedCarrier(ctx, trackingNumber, given);
  const provider = providerFor(named, ctx.providers);
  if (provider) return { carrier: named, provider, detected: false };
  throw new ServiceError('carrier_undetected', { text: message('no_provider', { carrier: named }) });
}

/** The carrier that the merchant named; null for none and for `auto`. */
function namedCarrier(ctx: Pick<ServiceContext, 'sandbox'>, code: string | undefined): string | null {
  const wanted = courierWanted(code);
  if (wanted === null) return null;
  const carrier = findCarrier(wanted, { sandbox: ctx.sandbox });
  if (!carrier) throw refusal(courierFaults(ctx, { courier_code: wanted }));
  return carrier.code;
}

function detectedCarrier(ctx: ChoiceContext, trackingNumber: string, given: Given): ChosenCarrier {
  const { carrier, undecided } = chooseServedCarrier(ctx, trackingNumber, given);
  const provider = carrier === null ? undefined : providerFor(carrier, ctx.providers);
  if (carrier === null || !provider) throw undetected(ctx, trackingNumber);
  if (undecided.length === 0) return { carrier, provider, detected: true };
  return { carrier, provider, detected: true, candidates: inOrder(ctx, undecided, given) };
}

/** The candidates that are checked one after another, in this order. */
function inOrder({ providers }: ChoiceContext, candidates: Choice['undecided'], given: Given): CandidateCarrier[] {
  const askable = candidates.flatMap((candidate) => {
    const provider = providerFor(candidate.carrier, providers);
    if (!provider) return [];
    const lacksInput = lackingFields(provider, candidate.carrier, given).length > 0;
    return [{ ...candidate, provider: provider.name, cost: provider.cost ?? ('free' as const), lacksInput }];
  });
  return askOrder(askable, MAX_CANDIDATES).map(({ carrier, provider }) => ({ carrier, provider }));
}

/** The fields without which the provider gets no answer from a carrier. */
function lackingFields(provider: Provider, carrier: string, given: Given): CarrierField[] {
  return (provider.requires?.(carrier) ?? []).filter((field) => (given[field] ?? '') === '');
}

function undetected(ctx: ChoiceContext, trackingNumber: string): ServiceError {
  const why = whyUndetected(ctx, trackingNumber);
  const needed = message('field.courier_needed', { why: why ?? message('no_carrier_detected') });
  const fields = [{ field: 'courier_code', message: needed }];
  if (why === null) return new ServiceError('carrier_undetected', { fields });
  return new ServiceError('carrier_undetected', { text: message('carrier_not_chosen', { why }), fields });
}

/** Null if no carrier has numbers like this one. */
function whyUndetected({ sandbox }: ChoiceContext, trackingNumber: string): Message | null {
  const found = detectWithReasons(trackingNumber, { sandbox });
  const [best, ...others] = found.filter(({ confidence }) => confidence >= MIN_CONFIDENCE);
  if (!best) return null;
  const [plausible] = [best, ...others].filter(({ reason }) => reason !== 'wrong_check_digit');
  const carrier = nameOf(best.carrier);
  if (!plausible) return message('wrong_check_digit', { carrier });
  if (others.length === 0) return message('carrier_not_served', { carrier });
  return message('carriers_not_served', {
    carrier,
    others: others.map((each) => nameOf(each.carrier)).slice(0, MAX_NAMED),
  });
}

/** Candidates that a refusal names. */
const MAX_NAMED = 5;

function nameOf(code: string): string {
  const name = findCarrier(code, { sandbox: true })?.name;
  return name === undefined ? code : `${name} (${code})`;
}

type Producer = ServiceContext['producer'];
/** A tracking that is due, and its provider's name. */
type Due = { id: string; provider: string };
/** A tracking whose provider is to be queried now. */
type WakeUp = { id: string; accountId: string; provider: Provider };

/** Calls whose wake-ups share jobs. */
const MAX_CALLS = 100;

const wakers = new WeakMap<Producer, ReturnType<typeof createWaker>>();

/**
 * Wakes the pollers for trackings that somebody waits for: one job for each call to a provider. Those beyond the
 * account's share are left to the sweep, as is a job that is lost: it finds what is due within a second. Wake-ups that
 * come while others are being enqueued are enqueued together.
 */
export async function wakePollers(
  { producer, providers }: Pick<ServiceContext, 'producer' | 'providers'>,
  accountId: string,
  trackings: readonly Due[],
): Promise<void> {
  const waker = wakers.get(producer) ?? createWaker(producer);
  wakers.set(producer, waker);
  const sent = providers.flatMap((provider) => {
    const own = trackings.filter((each) => each.provider === provider.name);
    if (own.length === 0) return [];
    const share = waker.take(provider, accountId, own.length);
    if (share === 0) return [];
    const wakeUps = own.slice(0, share).map(({ id }) => ({ id, accountId, provider }));
    return traced('send wake-ups', spanOf(provider), () => waker.gather(wakeUps));
  });
  await Promise.all(sent);
}

function spanOf({ name }: Provider): SpanStart {
  const attributes = {
    'messaging.system': 'bullmq',
    'messaging.operation.type': 'send',
    'messaging.operation.name': 'add',
    'messaging.destination.name': queryQueue(name),
  };
  return { kind: 'producer', attributes };
}

function createWaker(producer: Producer) {
  const gather = createBatcher({ max: MAX_CALLS, concurrency: 1 }, async (calls: (readonly WakeUp[])[]) => {
    await enqueue(producer, calls.flat());
    return calls.map(() => undefined);
  });
  return { gather, take: createCallShares() };
}

async function enqueue(producer: Producer, wakeUps: readonly WakeUp[]): Promise<void> {
  for (const provider of new Set(wakeUps.map((each) => each.provider))) {
    const own = wakeUps.filter((each) => each.provider === provider);
    const jobs = chunks(own, provider.limits.batchSize).map((each) => ({
      ids: each.map(({ id }) => id),
      accounts: [...new Set(each.map(({ accountId }) => accountId))],
    }));
    await producer.query(provider.name, jobs);
  }
}

/** An account has this part of a provider's calls. */
const PART = 1 / 4;
const WINDOW_MS = 5000;

/** The numbers that accounts have taken until the window ends. */
type Window = { endsAt: number; taken: Map<string, number> };

/**
 * The shares of accounts in the calls that a provider allows. Jobs run in their order: without shares, those of one
 * account that registers thousands would be before those of all others.
 * @param now a monotonic clock in milliseconds.
 * @returns takes from the share of an account. Its result is how many of the numbers are within it.
 */
export function createCallShares(now = () => performance.now()) {
  const windows = new Map<string, Window>();
  return ({ name, limits }: Pick<Provider, 'name' | 'limits'>, accountId: string, wanted: number): number => {
    // For a slow provider the window is longer, so that a share is at least one call.
    const callMs = 1000 / (PART * limits.callsPerSecond);
    const windowMs = Math.max(WINDOW_MS, callMs);
    let window = windows.get(name);
    if (window === undefined || window.endsAt <= now()) {
      window = { endsAt: now() + windowMs, taken: new Map() };
      windows.set(name, window);
    }
    const taken = window.taken.get(accountId) ?? 0;
    const granted = Math.min(wanted, Math.floor(windowMs / callMs) * limits.batchSize - taken);
    window.taken.set(accountId, taken + granted);
    return granted;
  };
}
