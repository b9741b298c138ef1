import { findCarrier } from '@pts/carriers/registry';
import { BODY_BYTES } from '@pts/contract/body-limits';
import { registrationInputs } from '@pts/contract/common';
import { idParam, v4Created, v4Record } from '@pts/contract/compat-v4';
import { ServiceError } from '@pts/core/errors';
import { normaliseNumber } from '@pts/core/tracking/number';
import { updateTracking } from '@pts/db/trackings/changes';
import {
  deleteTracking,
  findByIds,
  findByNumbers,
  findTracking,
  listShipments,
  type TrackingRecord,
} from '@pts/db/trackings/records';
import { type RegistrationInput, registrationFaults } from '@pts/service/trackings/registration';
import type { ApiDeps } from '../deps.ts';
import { couriersAll } from '../endpoints/couriers/all.ts';
import { detectCourier } from '../endpoints/couriers/detect.ts';
import { batchTrackings } from '../endpoints/trackings/batch.ts';
import { createTracking } from '../endpoints/trackings/create.ts';
import { retrackByPath } from '../endpoints/trackings/retrack.ts';
import { ANY_INPUT, type Caller, NO_INPUT, type Route, route } from '../http/operation.ts';
import { createValidator } from '../http/validate.ts';
import { fromFamily, nameInFamily } from './input.ts';
import { toCreated, toRecord } from './record.ts';

const PAGE_SIZE = 100;
const MOST_NUMBERS = 40;
const validateCreate = createValidator(createTracking.request, nameInFamily);
const validateId = createValidator(idParam);
const validateChange = createValidator({ type: 'object', properties: registrationInputs }, nameInFamily);

const create = route({
  method: 'post',
  path: '/trackings/create',
  limit: 'trackings.create',
  input: 'body',
  request: ANY_INPUT,
  response: v4Created,
  async run(deps, caller, body) {
    const input = fromFamily(body);
    validateCreate(input, (given) => registrationFaults(deps, given));
    const { id } = (await createTracking.run(deps, caller, input as never)) as { id: string };
    const tracking = await findTracking(deps.db, caller.account.id, id);
    if (!tracking) throw new ServiceError('not_registered');
    return toCreated(tracking);
  },
});

const batch = route({
  method: 'post',
  path: '/trackings/batch',
  limit: 'trackings.batch',
  bodyBytes: BODY_BYTES.bulk,
  input: 'body',
  request: ANY_INPUT,
  response: { type: 'object', required: ['success', 'error'] },
  async run(deps, caller, body) {
    // More than a call takes are refused as they are.
    const isList = Array.isArray(body) && body.length <= MOST_NUMBERS;
    const items: unknown = isList ? body.map(fromFamily) : body;
    const result = (await batchTrackings.run(deps, caller, items as never)) as {
      success: { id: string }[];
      error: object[];
    };
    const ids = result.success.map(({ id }) => id);
    return { success: (await findByIds(deps.db, caller.account.id, ids)).map(toCreated), error: result.error };
  },
});

/** The family's clients lose the query on its way: without numbers the newest trackings are answered. */
const get = route({
  method: 'get',
  path: '/trackings/get',
  limit: 'trackings.get',
  input: 'query',
  request: {
    type: 'object',
    properties: {
      tracking_numbers: { type: 'string', maxLength: 4000 },
      courier_code: { type: 'string', maxLength: 40 },
      items_amount: { type: 'string', pattern: '^([1-9][0-9]?|1[0-9][0-9]|200)$' },
    },
  },
  response: { type: 'array', items: v4Record },
  async run(deps, caller, { tracking_numbers: numbers = '', courier_code: courier, items_amount: amount }) {
    const found =
      numbers === '' ? await newest(deps, caller, Number(amount ?? PAGE_SIZE)) : await named(deps, caller, numbers);
    return found.filter(({ carrier }) => !courier || carrier === courier).map((tracking) => view(deps, tracking));
  },
});

const retrack = route({
  method: 'post',
  path: '/trackings/retrack/:id',
  limit: 'trackings.retrack',
  input: 'params',
  request: idParam,
  response: v4Record,
  async run(deps, caller, { id }) {
    await retrackByPath.run(deps, caller, { id } as never);
    return one(deps, caller, id);
  },
});

const update = route({
  method: 'put',
  path: '/trackings/update/:id',
  limit: 'trackings.one',
  input: 'body',
  request: ANY_INPUT,
  response: v4Record,
  async run(deps, { account }, body) {
    const { id } = body as { id: string };
    validateId({ id });
    const { order_id: orderId, title, metadata } = validChange(fromFamily(body));
    const before = await findTracking(deps.db, account.id, id);
    if (!before) throw new ServiceError('not_registered');
    const change = {
      ...(orderId === undefined ? {} : { orderId }),
      ...(title === undefined ? {} : { title }),
      ...(metadata === undefined ? {} : { metadata: { ...before.metadata, ...metadata } }),
    };
    const result = await updateTracking(deps.db, { accountId: account.id, id, change, now: deps.now() });
    if (result.kind !== 'updated') throw new ServiceError('not_registered');
    return view(deps, result.tracking);
  },
});

/** Stops watching it; its unit is not given back. */
const remove = route({
  method: 'delete',
  path: '/trackings/delete/:id',
  limit: 'trackings.one',
  input: 'params',
  request: idParam,
  response: v4Created,
  async run(deps, { account }, { id }) {
    const before = await findTracking(deps.db, account.id, id);
    if (!before || !(await deleteTracking(deps.db, account.id, id))) throw new ServiceError('not_registered');
    return toCreated(before);
  },
});

const couriers = route({
  method: 'get',
  path: '/couriers/all',
  limit: 'couriers',
  input: null,
  cacheable: true,
  request: NO_INPUT,
  response: { type: 'array' },
  async run(deps, caller) {
    const answer = (await couriersAll.run(deps, caller, {} as never)) as { couriers: object[] };
    return answer.couriers;
  },
});

const detect = route({
  method: 'post',
  path: '/couriers/detect',
  limit: 'detect',
  bodyBytes: BODY_BYTES.number,
  input: 'body',
  request: detectCourier.request,
  response: { type: 'array' },
  async run(deps, caller, input) {
    const answer = (await detectCourier.run(deps, caller, input as never)) as { candidates: object[] };
    return answer.candidates;
  },
});

/** Version 4 of the API family over our own operations, below /v4. */
export const compatV4: readonly Route[] = [create, batch, get, update, remove, retrack, couriers, detect];

function validChange(input: unknown): Partial<RegistrationInput> {
  validateChange(input);
  return input as Partial<RegistrationInput>;
}

async function one(deps: ApiDeps, { account }: Caller, id: string) {
  const tracking = await findTracking(deps.db, account.id, id);
  if (!tracking) throw new ServiceError('not_registered');
  return view(deps, tracking);
}

async function newest({ db }: ApiDeps, { account }: Caller, limit: number): Promise<TrackingRecord[]> {
  const page = await listShipments(db, { accountId: account.id, limit });
  const ids = page.map(({ id }) => id);
  const found = new Map((await findByIds(db, account.id, ids)).map((tracking) => [tracking.id, tracking]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

async function named({ db }: ApiDeps, { account }: Caller, text: string): Promise<TrackingRecord[]> {
  const numbers = text.split(',').flatMap((part) => normaliseNumber(part) ?? []);
  if (numbers.length > MOST_NUMBERS) throw new ServiceError('batch_too_large');
  const found = await findByNumbers(db, account.id, numbers);
  if (found.length === 0) throw new ServiceError('not_registered');
  return found;
}

function view({ sandbox }: ApiDeps, tracking: TrackingRecord) {
  return toRecord(tracking, findCarrier(tracking.carrier, { sandbox }) ?? undefined);
}
