import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { failed, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, type JsonObject, listIn, objectsIn, textOf } from '../../http/json.ts';
import { codeTable, REFUSED, type ReadScan } from '../../texts/meaning.ts';
import { refined } from '../../texts/reader.ts';
import { destinationAt, pickupPointAt } from '../../time/place.ts';
import { estimateOf, resolveTimeAt, yearFirst } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'Nova Poshta';
const UKRAINE = { country: 'UA' };

/**
 * Reads the answer to one `getStatusDocuments` call: for each waybill its status of now, with a code, a text and a
 * time. Times are those of Ukraine.
 */
export function parseStatusDocuments(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = jsonBody(outcome, TITLE);
  if (read.kind === 'failed') return requested.map(() => read);
  const documents = objectsIn(read.body, 'data');
  const errors = listIn(read.body, 'errors').filter((error) => typeof error === 'string');
  if (documents.length === 0) {
    const failure = errors.length > 0 ? failureOf(errors.join(', ')) : 'unreadable';
    return refusedCall(requested, failed(failure, `${TITLE} answered ${errors.join(', ') || 'without documents'}`));
  }
  return answersByNumber(requested, documents, {
    provider: TITLE,
    numbersOf: (document) => [textOf(document, 'Number')],
    answerOf,
  });
}

/** Errors of a call, by their texts. */
export function failureOf(error: string): Failure {
  if (/api ?key/i.test(error)) return 'auth';
  if (/too? many requests|limit/i.test(error)) return 'rate_limited';
  return /document ?number|invalid|incorrect|not correct/i.test(error) ? 'invalid_number' : 'temporary';
}

/** 3: the number was not found. 80: nothing is known of it any more. */
const UNKNOWN: ReadonlySet<string> = new Set(['3', '80']);

function answerOf(document: JsonObject): CarrierAnswer {
  const code = codeOf(document, 'StatusCode');
  if (UNKNOWN.has(code)) return { kind: 'not_found' };
  const description = textOf(document, 'Status');
  const known = meaningOf(code);
  const place = { locality: textOf(document, 'CityRecipient'), ...UKRAINE };
  const status = scanAt(timeIn(document, 'TrackingUpdateDate') || timeIn(document, 'RecipientDateTime'), {
    location: AT_DESTINATION.has(code) ? place.locality : '',
    description,
    meaning: refined(known, known?.status === 'in_transit', description),
    code,
  });
  const created = scanAt(timeIn(document, 'DateCreated'), {
    location: textOf(document, 'CitySender'),
    description: 'Створено накладну',
    meaning: { status: 'info_received' },
  });
  // The kind and the number of a branch or a locker, and its street.
  const [, branch = '', street = ''] = /^([^:№]*№[^:]*)(?:: (.+))?$/.exec(textOf(document, 'WarehouseRecipient')) ?? [];
  const isDelivered = known?.status === 'delivered';
  return answerFrom(
    [status, created].filter((scan) => scan !== undefined),
    TITLE,
    {
      state: known,
      pickupPoint: pickupPointAt({ name: branch, address: street && `${street}, ${place.locality}` }),
      estimatedDelivery: isDelivered ? undefined : estimateOf(timeIn(document, 'ScheduledDeliveryDate'), '', UKRAINE),
      ...(place.locality === '' ? {} : destinationAt(place)),
    },
  );
}

/** A scan at a time; undefined without one. */
function scanAt(
  timeRaw: string,
  { meaning, code = '', ...texts }: Pick<ReadScan, 'meaning' | 'code'> & { location: string; description: string },
): ReadScan | null | undefined {
  if (timeRaw === '') return undefined;
  const resolved = resolveTimeAt(timeRaw, UKRAINE);
  return resolved && { scan: { ...resolved, timeRaw, ...texts }, meaning, place: { locality: texts.location }, code };
}

/** A time, which begins with the year or the day; '' if there is none. */
function timeIn(document: JsonObject, name: string): string {
  const stated = yearFirst(textOf(document, name));
  return stated.startsWith('0000-00-00') || stated.startsWith('0001-01-01') ? '' : stated;
}

const AT_DESTINATION: ReadonlySet<string> = new Set(['7', '8', '9', '10', '11', '14', '101', '103', '105', '111']);

export const meaningOf = codeTable({
  1: 'info_received', // created by the sender
  2: 'cancelled', // deleted
  4: 'in_transit', // in the town of the sender
  41: 'in_transit', // the same, for a parcel within a town
  5: 'in_transit', // on the way to the town of the recipient
  6: 'in_transit', // in that town
  7: 'available_for_pickup', // at the branch
  8: 'available_for_pickup', // at the branch, or in a locker
  9: 'delivered',
  10: 'delivered', // the cash on delivery is on its way
  11: 'delivered', // the cash on delivery was paid out
  12: 'info_received', // Nova Poshta packs it
  14: 'available_for_pickup', // the recipient inspects it
  101: 'out_for_delivery',
  102: REFUSED,
  103: REFUSED,
  104: 'in_transit', // the address was changed
  105: 'undeliverable', // no longer stored
  106: 'delivered', // and something goes back, as agreed
  108: REFUSED,
  111: 'recipient_unavailable',
  112: 'in_transit', // the recipient chose another day
});
