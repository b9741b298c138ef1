import { carriers } from '@pts/carriers/registry/registry';
import {
  batchV4,
  couriersV4,
  createV4,
  deleteV4,
  detectV4,
  getV4,
  retrackV4,
  updateV4,
} from '@pts/contract/operations/compat-v4';
import { ServiceError, unknownTracking } from '@pts/core/errors';
import { changeFromWire } from '@pts/db/trackings/inputs';
import { deleteTracking } from '@pts/db/trackings/records';
import { detectCarrier } from '@pts/service/couriers';
import { changeTracking } from '@pts/service/trackings/change';
import { courierFaults, courierWanted } from '@pts/service/trackings/choose-carrier';
import { findRegistered } from '@pts/service/trackings/find';
import { previewMany, registerMany, registerTracking } from '@pts/service/trackings/register';
import { retrackTracking } from '@pts/service/trackings/retrack';
import { viewCandidate, viewCourier } from '../endpoints/couriers/view.ts';
import {
  asBulk,
  bulkWarnings,
  isDryRun,
  readAll,
  readItems,
  refuseDryRun,
  refusedView,
} from '../endpoints/trackings/bulk-items.ts';
import { createWarnings } from '../http/body/unknown-in-body.ts';
import { type Route, route } from '../http/operation.ts';
import {
  FAMILY_FIELDS,
  inFamilyTerms,
  itemsFromFamily,
  type Metadata,
  readChange,
  readId,
  readRegistration,
  withCarried,
} from './family-input.ts';
import { findInOrder, findNamed, findNewest, laterPage, unsupportedFilters } from './find-trackings.ts';
import { toCreated, viewRecord } from './record.ts';

const create = route(createV4, {
  async run(deps, caller, body) {
    refuseDryRun(caller, body);
    const { account } = caller;
    const { id } = await registerTracking(deps, account, readRegistration(deps, body)).catch((error) => {
      throw error instanceof ServiceError ? inFamilyTerms(error) : error;
    });
    return { ...toCreated(await findRegistered(deps, account.id, id)), ...warningsIn(body) };
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
    const items = await readAll(deps, readItems(given), deps.bulkhead.slices(account.id));
    const { accepted, refused } = isDryRun(caller, given)
      ? await asBulk(deps, account.id, () => previewMany(deps, account, items))
      : await asBulk(deps, account.id, () => registerMany(deps, account, items));
    const ids = accepted.flatMap(({ tracking }) => tracking.id ?? []);
    return {
      success: (await findInOrder(deps, account.id, ids)).map(toCreated),
      error: refused
        .map(({ given, error }) => ({ given, error: inFamilyTerms(error) }))
        .map(refusedView(caller.baseUrl)),
      ...bulkWarnings(body, FAMILY_FIELDS),
    };
  },
});

const get = route(getV4, {
  faults: (deps, input) => [...laterPage(input), ...unsupportedFilters(input), ...courierFaults(deps, input)],
  async run(deps, { account }, { tracking_numbers: numbers = '', courier_code: code, items_amount: amount }) {
    const of = { accountId: account.id, carrier: courierWanted(code) ?? undefined };
    const found = await (numbers === '' ? findNewest(deps, of, amount) : findNamed(deps, of, numbers));
    return found.map((tracking) => viewRecord(deps, tracking));
  },
});

const retrack = route(retrackV4, {
  async run(deps, { account }, { id }) {
    await retrackTracking(deps, { accountId: account.id, id });
    return viewRecord(deps, await findRegistered(deps, account.id, id));
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
    const changed = await changeTracking(deps, { accountId: account.id, id, change }).catch((error) => {
      throw error instanceof ServiceError ? inFamilyTerms(error) : error;
    });
    return { ...viewRecord(deps, changed), ...warningsIn(body, 'id') };
  },
});

/** Stops polling for it; its unit is not given back. */
const remove = route(deleteV4, {
  async run(deps, { account }, { id }) {
    const before = await findRegistered(deps, account.id, id);
    if (!(await deleteTracking(deps.db, account.id, id))) throw unknownTracking();
    return toCreated(before);
  },
});

const couriers = route(couriersV4, {
  async run(deps) {
    return carriers({ sandbox: deps.sandbox }).map((carrier) => viewCourier(deps, carrier));
  },
});

const detect = route(detectV4, {
  async run(deps, _caller, { tracking_number: number }) {
    const { candidates } = await detectCarrier(deps, number);
    return candidates.map((candidate) => viewCandidate(deps, candidate));
  },
});

/** Version 4 of the API family, below /v4: an adapter over our business verbs. */
export const compatV4: readonly Route[] = [create, batch, get, update, remove, retrack, couriers, detect];
