import { carriers, findCarrier } from '@pts/carriers/registry/registry';
import { zonesOf } from '@pts/carriers/time/zones';
import {
  batchV4,
  couriersV4,
  createV4,
  deleteV4,
  detectV4,
  getV4,
  idParam,
  registerWebhookV4,
  retrackV4,
  updateV4,
} from '@pts/contract/compat-v4';
import { MAX_NUMBERS } from '@pts/contract/limits';
import { createBody, registrationInputs } from '@pts/contract/trackings';
import { type Fault, invalidField, LISTS_FIELDS, ServiceError, unknownTracking } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { dayOf } from '@pts/core/page';
import { lettersOf, sentInstead } from '@pts/core/sent-instead';
import { type Include, type OptionalFields, optionalFields } from '@pts/core/tracking/fields';
import type { EventKind } from '@pts/core/tracking/status';
import { CARRIED_FIELDS, familyCreated, familyRecord } from '@pts/core/webhook/family';
import type { Account } from '@pts/db/accounts/accounts';
import { listShipments, NEWEST_CHANGE_FIRST } from '@pts/db/shipments';
import { changeFromWire } from '@pts/db/trackings/inputs';
import { deleteTracking, findByIds, findByNumbers, type TrackingRecord } from '@pts/db/trackings/records';
import { byNumber } from '@pts/db/trackings/register';
import { detectCarrier } from '@pts/service/couriers';
import {
  courierFaults,
  courierWanted,
  previewMany,
  type RegistrationInput,
  registerMany,
  registerTracking,
  registrationFaults,
} from '@pts/service/trackings/register';
import { changeTracking, findRegistered, retrackTracking } from '@pts/service/trackings/trackings';
import { registerWebhook, webhookFaults } from '@pts/service/webhooks';
import type { ApiDeps } from './deps.ts';
import {
  asBulk,
  bulkWarnings,
  isDryRun,
  readAll,
  readItems,
  refuseDryRun,
  refusedView,
} from './endpoints/bulk-items.ts';
import { viewCandidate, viewCourier } from './endpoints/couriers.ts';
import { noneRegistered, numbersFrom, readOrderIds } from './endpoints/trackings.ts';
import { viewRegistered } from './endpoints/webhooks.ts';
import { type Route, route } from './http/operation.ts';
import { createValidator, createWarnings, isObject } from './http/validate.ts';

const create = route(createV4, {
  async run(deps, caller, body) {
    refuseDryRun(caller, body);
    const { account } = caller;
    const { id } = await registerTracking(deps, account, readRegistration(deps, body)).catch(throwInFamilyTerms);
    return { ...familyCreated(await findRegistered(deps, account.id, id)), ...warningsIn(body) };
  },
});

/** The fields of a body that neither the family nor we have. */
function warningsIn(body: unknown, ...alsoKnown: string[]) {
  const warnings = createWarnings();
  warnings.lookAt(body, [...FAMILY_FIELDS, ...alsoKnown]);
  return warnings.found();
}

const batch = route(batchV4, {
  async run(deps, caller, body) {
    const { account } = caller;
    const given = itemsFromFamily(body);
    const items = await readAll({ ...deps, accountId: account.id }, readItems(given), deps.bulkhead.slices(account.id));
    const { accepted, refused } = isDryRun(caller, given)
      ? await asBulk(deps, account.id, () => previewMany(deps, account, items))
      : await asBulk(deps, account.id, () => registerMany(deps, account, items));
    const ids = accepted.flatMap(({ tracking }) => tracking.id ?? []);
    return {
      success: (await findInOrder(deps, account.id, ids)).map(familyCreated),
      error: refused
        .map(({ given, error }) => ({ given, error: inFamilyTerms(error) }))
        .map(refusedView(caller.baseUrl)),
      ...bulkWarnings(body, FAMILY_FIELDS),
    };
  },
});

const get = route(getV4, {
  faults: (deps, input) => [...laterPage(input), ...unsupportedFilters(input), ...courierFaults(deps, input)],
  async run(deps, { account }, { tracking_numbers: numbers = '', order_numbers: orders = '', ...query }) {
    const orderIds = readOrderIds(orders);
    const carrier = courierWanted(query.courier_code) ?? undefined;
    const of = { accountId: account.id, carrier, ...(orderIds.length > 0 && { orderIds }) };
    const found = await (numbers === '' ? findNewest(deps, of, query.items_amount) : findNamed(deps, of, numbers));
    return found.map((tracking) => viewRecord(deps, tracking, account));
  },
});

const retrack = route(retrackV4, {
  async run(deps, { account }, { id }) {
    await retrackTracking(deps, { accountId: account.id, id }).catch(throwInFamilyTerms);
    return viewRecord(deps, await findRegistered(deps, account.id, id), account);
  },
});

/** The family's metadata fields come one by one; those that are not sent stay as they are. */
const update = route(updateV4, {
  async run(deps, { account }, body) {
    const id = readId(body);
    const { metadata, courier_code: code, ...fields } = readChange(deps, body);
    const metadataFrom = metadata && ((before: Metadata | null) => withCarried(before, metadata));
    // `auto`, which their clients send with everything, must not move the tracking, without its history.
    const change = { ...changeFromWire(fields), courierCode: courierWanted(code) ?? undefined, metadataFrom };
    const changed = await changeTracking(deps, { accountId: account.id, id, change }).catch(throwInFamilyTerms);
    return { ...viewRecord(deps, changed, account), ...warningsIn(body, 'id') };
  },
});

/** Stops polling for it; its unit is not given back. */
const remove = route(deleteV4, {
  async run(deps, { account }, { id }) {
    const before = await findRegistered(deps, account.id, id).catch(throwInFamilyTerms);
    if (!(await deleteTracking(deps.db, { accountId: account.id, id, now: deps.now() })))
      throwInFamilyTerms(unknownTracking());
    return familyCreated(before);
  },
});

const couriers = route(couriersV4, {
  async run(deps) {
    return carriers({ sandbox: deps.sandbox }).map((carrier) => viewCourier(deps, carrier));
  },
});

const detect = route(detectV4, {
  async run(deps, { account }, { tracking_number: number }) {
    const { candidates } = await detectCarrier({ ...deps, accountId: account.id }, { tracking_number: number });
    return candidates.map((candidate) => viewCandidate(deps, candidate));
  },
});

const CHANGES: readonly EventKind[] = ['tracking_update'];

/** The family's webhooks are set in its dashboard; their pushes are of every change. */
const addWebhook = route(registerWebhookV4, {
  faults: webhookFaults,
  async run(deps, { account }, { events = CHANGES, format = 'v4', ...chosen }) {
    return viewRegistered(await registerWebhook(deps, { ...chosen, accountId: account.id, events, format }));
  },
});

/** Version 4 of the API family, below /v4: an adapter over our business verbs. */
export const compatV4: readonly Route[] = [create, batch, get, update, remove, retrack, couriers, detect, addWebhook];

/** Our name for each of the family's fields that says the same. */
const NAMES = {
  tracking_number: 'tracking_number',
  courier_code: 'courier_code',
  order_number: 'order_id',
  title: 'title',
  customer_phone: 'phone',
  tracking_postal_code: 'postal_code',
  tracking_destination_country: 'destination_country',
} as const;

/** Fields that the family's bodies may have; a record may be changed with its id in the body. */
const FAMILY_FIELDS: readonly string[] = [...Object.keys(NAMES), ...CARRIED_FIELDS, 'dry_run'];

const THEIRS = new Map<string, string>(Object.entries(NAMES).map(([theirs, ours]) => [ours, theirs]));

/** The family's name of our field. */
function nameInFamily(field: string): string {
  return THEIRS.get(field) ?? field.replace(/^metadata\./, '');
}

function throwInFamilyTerms(error: unknown): never {
  throw error instanceof ServiceError ? inFamilyTerms(error) : error;
}

/** A refusal under the family's names. An id without a tracking has the number 4102 there. */
function inFamilyTerms(refused: ServiceError): ServiceError {
  const { text, retryAfterSeconds } = refused;
  const error = refused.error === 'not_found' ? 'not_registered' : refused.error;
  const fields = refused.fields.map((fault) => ({ ...fault, field: nameInFamily(fault.field) }));
  if (LISTS_FIELDS.has(error)) return new ServiceError(error, { fields });
  return new ServiceError(error, {
    fields,
    text,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

const validateRegistration = createValidator(createBody, nameInFamily);
const validateId = createValidator(idParam);
const validateChange = createValidator({ type: 'object', properties: registrationInputs }, nameInFamily);

/** The registration that a body asks for. @throws ServiceError that lists every fault, under the family's names. */
function readRegistration(deps: Pick<ApiDeps, 'sandbox'>, body: unknown): RegistrationInput {
  return validateRegistration(fromFamily(body), (given) => registrationFaults(deps, given));
}

/** The items of a bulk body in our own terms; more than a call takes are refused as they are. */
function itemsFromFamily(body: unknown): unknown {
  return Array.isArray(body) && body.length <= MAX_NUMBERS ? body.map(fromFamily) : body;
}

/** The id in the path of a change, which comes with its body. @throws ServiceError `invalid_id`. */
function readId(body: unknown): string {
  return validateId({ id: isObject(body) ? body.id : undefined }).id;
}

/** The change that a body asks for. @throws ServiceError that lists every fault, under the family's names. */
function readChange(deps: Pick<ApiDeps, 'sandbox'>, body: unknown): Partial<RegistrationInput> {
  return validateChange(fromFamily(body), (given) => courierFaults(deps, given));
}

type Metadata = Record<string, string>;

/** The metadata of a tracking, with those that were sent. @throws ServiceError if they are too many together. */
function withCarried(metadata: Metadata | null, sent: Metadata): Metadata {
  const all = { ...metadata, ...sent };
  validateChange({ metadata: all });
  return all;
}

/**
 * A body of the family in our own terms. Empty texts count as left out, as there; fields without an equivalent of ours
 * are kept among the metadata.
 */
function fromFamily(body: unknown): unknown {
  if (!isObject(body)) return body;
  const isGiven = (name: string) => Object.hasOwn(body, name) && body[name] !== '' && body[name] !== null;
  const renamed = Object.entries(NAMES)
    .filter(([theirs]) => isGiven(theirs))
    .map(([theirs, ours]) => [ours, body[theirs]]);
  const carried = CARRIED_FIELDS.filter(isGiven).map((name) => [name, body[name]]);
  // The message about a missing number names the field that was sent in its place.
  const instead = isGiven('tracking_number') ? undefined : sentInstead('tracking_number', body, Object.keys(NAMES));
  // That of a single number in a batch is refused: it would be charged.
  const kept = Object.keys(body).filter((name) => name === instead || lettersOf(name) === 'dryrun');
  const unknown = Object.fromEntries(kept.map((name) => [name, body[name]]));
  const input: Partial<Record<keyof RegistrationInput, unknown>> = { ...unknown, ...Object.fromEntries(renamed) };
  return carried.length === 0 ? input : { ...input, metadata: Object.fromEntries(carried) };
}

const PAGE_SIZE = 100;
type Context = Pick<ApiDeps, 'db'>;

/** Whose trackings; of any carrier, or of one; of any order, or of some. */
type Filter = { accountId: string; carrier: string | undefined; orderIds?: readonly string[] };

/** The requested number of trackings, newest change first. */
async function findNewest(ctx: Context, filter: Filter, amount: string | undefined): Promise<TrackingRecord[]> {
  const limit = Number(amount ?? PAGE_SIZE);
  const { rows } = await listShipments(ctx.db, { filter, order: NEWEST_CHANGE_FIRST, limit });
  const ids = rows.map(({ id }) => id);
  return findInOrder(ctx, filter.accountId, ids);
}

/** Their pages are counted, ours have cursors. The first one again and again would be read without an end. */
function laterPage({ pages_amount: page }: Record<string, unknown>): Fault[] {
  if (page === undefined || page === '' || page === '1') return [];
  return [invalidField('pages_amount', message('field.page_one'))];
}

/** Filters of the family that are not offered here. */
const FILTERS = [
  'delivery_status',
  'archived_status',
  ...['created_date', 'shipping_date', 'updated_date'].flatMap((date) => [`${date}_min`, `${date}_max`]),
];

/**
 * Without one of them, the list would have other trackings than were asked for; those of given numbers are named by
 * these.
 */
function unsupportedFilters(query: Record<string, unknown>): Fault[] {
  const isGiven = (field: string) => query[field] !== undefined && query[field] !== '';
  if (isGiven('tracking_numbers')) return [];
  return FILTERS.filter(isGiven).map((field) => invalidField(field, message('field.filter_of_v4')));
}

/** The trackings with these ids, in their order. */
async function findInOrder({ db }: Context, accountId: string, ids: string[]): Promise<TrackingRecord[]> {
  const found = new Map((await findByIds(db, accountId, ids)).map((tracking) => [tracking.id, tracking]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/**
 * The trackings of the numbers in a text, separated by commas, in their order.
 * @throws ServiceError `not_registered` for none.
 */
async function findNamed({ db }: Context, { accountId, carrier }: Filter, text: string): Promise<TrackingRecord[]> {
  const numbers = numbersFrom(text);
  const found = await findByNumbers(db, accountId, numbers);
  if (found.length === 0) throw noneRegistered(numbers);
  const ofNumber = byNumber(found.filter((tracking) => carrier === undefined || tracking.carrier === carrier));
  return [...new Set(numbers)].flatMap((number) => ofNumber.get(number) ?? []);
}

/** A tracking as a record of version 4 of the API family. */
function viewRecord(
  { sandbox }: Pick<ApiDeps, 'sandbox'>,
  tracking: TrackingRecord,
  { include }: Pick<Account, 'include'>,
) {
  const { carrier, destinationCountry, events: scans, annotations, nextCheckAt } = tracking;
  const { phone = null, url = null } = findCarrier(carrier, { sandbox }) ?? {};
  const { to } = annotations?.estimate ?? {};
  const scheduledDay = to === undefined ? null : dayOf(to, zonesOf({ carrier, destinationCountry, scans }).destination);
  return {
    ...familyRecord({ ...tracking, isUpdating: nextCheckAt !== null, scheduledDay }, { phone, url }),
    ...optionalInFamily(optionalFields(annotations ?? {}, include, null), include),
  };
}

/** The optional fields that the family has as well; null where we do not know one, as there. */
function optionalInFamily(fields: OptionalFields, include: readonly Include[]) {
  return {
    ...(include.includes('milestones') && {
      transit_time: fields.transit_days ?? null,
      milestone_date: {
        pickup_date: fields.picked_up_at ?? null,
        outfordelivery_date: fields.out_for_delivery_at ?? null,
        delivery_date: fields.delivered_at ?? null,
      },
    }),
    ...(include.includes('proof') && { signed_by: fields.signed_by ?? null }),
  };
}
