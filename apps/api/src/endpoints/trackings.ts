import { carrierUrl } from '@pts/carriers/registry/pages';
import { writerOf } from '@pts/carriers/texts/writer';
import { MAX_NUMBERS } from '@pts/contract/limits';
import type { Infer } from '@pts/contract/schema';
import * as contract from '@pts/contract/trackings';
import { ERRORS, nothingToChange, refusedField, ServiceError, unknownTracking } from '@pts/core/errors';
import { type Message, message } from '@pts/core/languages/message';
import { type Language, languageOfText, TEXTS } from '@pts/core/languages/texts';
import { pageAddress } from '@pts/core/page';
import { toUtcSeconds } from '@pts/core/time';
import type { Annotations } from '@pts/core/tracking/change';
import { optionalFields, type ViewedEvent, viewEvent } from '@pts/core/tracking/fields';
import { normaliseNumber, splitNumbers } from '@pts/core/tracking/number';
import type { Scan } from '@pts/core/tracking/scan';
import { candidateCodes } from '@pts/core/tracking/undecided';
import { changeFromWire, toWire } from '@pts/db/trackings/inputs';
import { deleteTracking, findByNumbers, type TrackingRecord } from '@pts/db/trackings/records';
import { byNumber, type Previewed } from '@pts/db/trackings/register';
import type { ServiceContext } from '@pts/service/context';
import { findByOrders } from '@pts/service/shipments';
import {
  courierFaults,
  numberFaults,
  previewTracking,
  type RegisteredTracking,
  registerTracking,
  registrationFaults,
} from '@pts/service/trackings/register';
import {
  changeTracking as change,
  findRegistered,
  type Retracked,
  restoreRemovedTrackings,
  retrackNamed,
  retrackTracking,
  stopTracking as stop,
  type WatchContext,
  watchOf,
} from '@pts/service/trackings/trackings';
import { helpAddress } from '../http/addresses.ts';
import { type Caller, operation } from '../http/operation.ts';

/** POST /trackings/create */
export const createTracking = operation(contract.createTracking, {
  faults: registrationFaults,
  async run(deps, { account }, input) {
    if (input.dry_run) return viewPreview(await previewTracking(deps, account, input));
    return viewCreated(await registerTracking(deps, account, input));
  },
});

const FIELD = 'tracking_numbers';

/** GET /trackings/get */
export const getTrackings = operation(contract.getTrackings, {
  async run(deps, caller, { tracking_numbers, order_ids: orders = '' }) {
    if (splitNumbers(orders).length > 0) {
      if (tracking_numbers) throw refusedField('order_ids', message('field.not_with_numbers'));
      return findOrders(deps, caller, orders);
    }
    const given = numbersFrom(tracking_numbers);
    const numbers = [...new Set(given)];
    const found = await findByNumbers(deps.db, caller.account.id, numbers);
    if (found.length === 0) throw noneRegistered(numbers);
    const ofNumber = byNumber(found);
    const success = numbers
      .flatMap((number) => ofNumber.get(number) ?? [])
      .map((record) => viewTracking(record, deps, caller));
    const rejected = numbers
      .filter((number) => !ofNumber.has(number))
      .map((number) => ({ index: given.indexOf(number), ...reject(number, caller.baseUrl) }));
    return { success, ...(rejected.length > 0 ? { rejected } : {}) };
  },
});

/** Trackings of one answer; the list of shipments has pages. */
const MAX_OF_ORDERS = 200;

/** The trackings of orders, in the order requested, each order's oldest first. */
async function findOrders(
  deps: Parameters<typeof viewTracking>[1] & Pick<ServiceContext, 'db'>,
  caller: Caller,
  text: string,
) {
  const orderIds = [...new Set(readOrderIds(text))];
  const found = await findByOrders(deps, { accountId: caller.account.id, orderIds, limit: MAX_OF_ORDERS });
  if (found.length === 0) throw new ServiceError('not_registered', { text: message('no_order') });
  const success = orderIds.flatMap((orderId) => found.filter((record) => record.orderId === orderId));
  const unknown = orderIds.filter((orderId) => !found.some((record) => record.orderId === orderId));
  return {
    success: success.map((record) => viewTracking(record, deps, caller)),
    ...(unknown.length > 0 && { unknown_order_ids: unknown }),
  };
}

/** The order ids of a list. @throws ServiceError for more than a call takes */
export function readOrderIds(text: string): string[] {
  const orderIds = splitNumbers(text);
  if (orderIds.length > MAX_NUMBERS)
    throw new ServiceError('batch_too_large', { text: message('too_many_orders', { max: MAX_NUMBERS }) });
  return orderIds;
}

/**
 * The numbers of a list, in their normal form if they have one.
 * @throws ServiceError for none, and for more than a call takes
 */
export function numbersFrom(text = ''): string[] {
  const requested = splitNumbers(text);
  if (requested.length === 0)
    throw new ServiceError('number_missing', { fields: [{ field: FIELD, message: message('field.empty') }] });
  if (requested.length > MAX_NUMBERS) throw new ServiceError('batch_too_large');
  return requested.map((number) => normaliseNumber(number) ?? number);
}

export function noneRegistered(numbers: readonly string[]): ServiceError {
  return new ServiceError('not_registered', { text: textFor(numbers) });
}

function reject(tracking_number: string, baseUrl: string) {
  const rejectedCode = ERRORS.not_registered.number;
  const rejectedMessage = textFor([tracking_number]);
  const docs_url = helpAddress(baseUrl, rejectedCode);
  return { field: FIELD, tracking_number, rejectedCode, rejectedMessage, docs_url };
}

/** Why none of them was found. A malformed one may be several with another separator, or in quotes. */
function textFor(numbers: readonly string[]): Message {
  const isWellFormed = numbers.every((number) => normaliseNumber(number) !== null);
  return message(isWellFormed ? 'error.not_registered' : 'not_registered_malformed');
}

/** GET /trackings/{id} */
export const findTrackingEndpoint = operation(contract.getTracking, {
  async run(deps, caller, { id }) {
    return viewTracking(await findRegistered(deps, caller.account.id, id), deps, caller);
  },
});

/** The fields that can be changed: those of the request besides the path's. */
const { id: _id, ...CHANGEABLE } = contract.updateTracking.request.properties;

/** PATCH /trackings/{id} */
export const changeTracking = operation(contract.updateTracking, {
  faults: courierFaults,
  async run(deps, caller, { id, courier_code: code = '', ...fields }) {
    const inputs = changeFromWire(fields);
    // An empty field of a form must not move the tracking to a detected carrier, without its history.
    const courierCode = code.trim() === '' ? undefined : code;
    if (courierCode === undefined && Object.keys(inputs).length === 0) throw nothingToChange(Object.keys(CHANGEABLE));
    const wanted = { courierCode, ...inputs };
    return viewTracking(await change(deps, { accountId: caller.account.id, id, change: wanted }), deps, caller);
  },
});

/** POST /trackings/{id}/stop */
export const stopTracking = operation(contract.stopTracking, {
  run: async (deps, caller, { id }) =>
    viewTracking(await stop(deps, { accountId: caller.account.id, id }), deps, caller),
});

/** DELETE /trackings/{id} */
export const removeTracking = operation(contract.deleteTracking, {
  async run({ db, now }, { account }, { id }) {
    if (!(await deleteTracking(db, { accountId: account.id, id, now: now() }))) throw unknownTracking();
    return { id };
  },
});

/** POST /trackings/restore */
export const restoreRemoved = operation(contract.restoreTrackings, {
  run: (deps, { account }, input) => restoreRemovedTrackings(deps, { accountId: account.id, ...input }),
});

/** POST /trackings/retrack/{id} */
export const retrackByPath = operation(contract.retrackTracking, {
  run: async (deps, { account }, { id }) => viewRetracked(await retrackTracking(deps, { accountId: account.id, id })),
});

/** POST /trackings/retrack */
export const retrackByBody = operation(contract.retrackByNumber, {
  faults: (deps, input) => [...numberFaults(input), ...courierFaults(deps, input)],
  run: async (deps, { account }, { id, tracking_number: trackingNumber, courier_code: courierCode }) =>
    viewRetracked(await retrackNamed(deps, account.id, { id, trackingNumber, courierCode })),
});

function viewRetracked({ id, status, retrackedAt }: Retracked) {
  return { id, status, retracked_at: toUtcSeconds(retrackedAt) };
}

type Tracking = Infer<typeof contract.tracking>;
/** For whom a record is shown: where they reach the API, and the texts and optional fields that they asked for. */
type Reader = Pick<Caller, 'baseUrl' | 'language' | 'include'>;
type Context = WatchContext & Pick<ServiceContext, 'pageTokens'>;

/** The response of a registration (spec section 4.2), with the merchant's fields that are stored. */
export function viewCreated(registered: RegisteredTracking) {
  const { id, trackingNumber, carrier, status, detected, candidates, created } = registered;
  return {
    id,
    tracking_number: trackingNumber,
    carrier,
    status,
    ...viewDetection({ carrier, detected, candidates: codesOf({ detected, candidates }) }),
    created,
    charged: created ? 1 : 0,
    ...toWire(registered),
  };
}

/** The response of a dry run. */
export function viewPreview({ id, status, registration, charged, carrier, detected, candidates }: Previewed) {
  return {
    dry_run: true as const,
    id,
    tracking_number: registration.trackingNumber,
    carrier,
    status,
    ...viewDetection({ carrier, detected, candidates }),
    would_charge: charged ? 1 : 0,
  };
}

/** A tracking as merchants read it (spec section 2.3). Optional inputs appear only if they were sent. */
export function viewTracking(record: TrackingRecord, deps: Context, reader: Reader) {
  const { id, trackingNumber, carrier, status, subStatus, events } = record;
  const candidates = codesOf(record);
  const { mode, intervalSeconds, nextCheckAt } = watchOf(record, deps);
  const viewed = (scans: readonly Scan[]) => scans.map((scan) => viewEvent(scan, id, reader.include));
  return {
    id,
    tracking_number: trackingNumber,
    carrier,
    ...viewDetection({ carrier, detected: record.detected, candidates }),
    status,
    sub_status: subStatus,
    ...viewTexts(record, reader.language),
    events: viewed(events),
    ...viewEventsLang(record, deps, reader.language),
    ...viewAnnotations(record.annotations ?? {}, viewed),
    ...given('notice', record.notice),
    created_at: toUtcSeconds(record.createdAt),
    updated_at: toUtcSeconds(record.updatedAt),
    last_checked_at: record.lastCheckedAt && toUtcSeconds(record.lastCheckedAt),
    next_check_at: nextCheckAt && toUtcSeconds(nextCheckAt),
    watch: { mode, interval_seconds: intervalSeconds },
    ...viewPage(record, deps, reader),
    ...optionalFields(
      { ...record.annotations, carrierUrl: candidates.length > 0 ? null : carrierUrl(carrier, trackingNumber) },
      reader.include,
      reader.language,
    ),
    ...toWire(record),
  };
}

/** The statuses in words, if they were asked for. */
export function viewTexts(
  { status, subStatus }: Pick<TrackingRecord, 'status' | 'subStatus'>,
  language: Language | null,
) {
  if (language === null) return {};
  const texts = TEXTS[language];
  return { status_text: texts.status[status], sub_status_text: texts.subStatus[subStatus] };
}

/** The language of the carrier's texts, if it was asked for and is the same for all whose language is known. */
function viewEventsLang(record: TrackingRecord, { providers }: Context, language: Language | null) {
  if (language === null) return {};
  const { carrier, annotations, events } = record;
  const writer = writerOf({ carrier, provider: annotations?.provider ?? record.provider }, providers);
  const [first, ...others] = new Set(events.flatMap(({ description }) => languageOfText(description, writer) ?? []));
  return given('events_lang', others.length > 0 ? null : (first ?? null));
}

/** The address of its buyer's page, of an account that has pages. */
function viewPage({ id, pageGeneration }: TrackingRecord, { pageTokens }: Context, { baseUrl }: Reader) {
  if (pageGeneration === null) return {};
  const token = pageTokens.seal({ trackingId: id, generation: pageGeneration });
  return { tracking_page_url: pageAddress(baseUrl, token) };
}

/** The detected carrier, or, until it is known, the candidates that are checked one after another. */
function viewDetection(found: { carrier: string; detected: boolean; candidates: readonly string[] }) {
  const { carrier, detected, candidates } = found;
  if (candidates.length > 0) return { candidates: [...candidates] };
  return given('detected_carrier', detected ? carrier : null);
}

/** The codes of a tracking's candidates; empty once its carrier is known. */
function codesOf({ detected, candidates }: Pick<TrackingRecord, 'detected' | 'candidates'>): string[] {
  return candidates && detected ? candidateCodes(candidates) : [];
}

/** Optional parts; absent when empty. */
function viewAnnotations(
  { previous, expected, pieces, estimate, reason }: Annotations,
  viewed: (scans: readonly Scan[]) => ViewedEvent[],
) {
  return {
    ...given('reason', reason ?? null),
    ...given('pieces', pieces ?? null),
    ...given('estimated_delivery', estimate ?? null),
    ...given('expected', expected === undefined ? null : viewed(expected)),
    ...given('previous_events', previous === undefined ? null : viewed(previous)),
  };
}

/** A field that is present only if it has a value: one of those that a tracking may have. */
function given<K extends keyof Tracking>(name: K, value: Tracking[K] | null): Pick<Partial<Tracking>, K> {
  return (value === null ? {} : { [name]: value }) as Pick<Partial<Tracking>, K>;
}
