import type { CarrierAnswer, Found } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import { destinationAt } from '../../destination.ts';
import { estimateOf } from '../../estimate.ts';
import type { HttpOutcome } from '../../http.ts';
import { codeOf, type JsonObject, objectsIn, parseObject, partOf, textOf } from '../../json.ts';
import { type Place, placeText, resolveTimeAt } from '../../local-time.ts';
import { bodyOrFailure, failed } from '../failure.ts';
import { historyOf, type ReadScan } from '../history.ts';
import type { Asked } from '../manifest.ts';
import { isKnownCode, SERVICES, statusOf } from './codes.ts';

/** A number that DHL does not know has 404, one that it cannot read 400, each with a problem in JSON. */
const ANSWERS = [200, 400, 404];

/**
 * Reads the answer to one `GET /track/shipments`. Times are local at the place of the event, or say their offset: the divisions
 * of DHL differ. Events of some divisions have no `statusCode`: then their text decides.
 */
export function parseShipments(outcome: HttpOutcome, asked: Asked): CarrierAnswer {
  const body = bodyOrFailure(outcome, 'DHL', ANSWERS);
  if (typeof body !== 'string') return body;
  const answer = parseObject(body);
  if (!answer) {
    const isAnswer = outcome.kind === 'response' && outcome.status === 200;
    // A 404 that is not DHL's own means that the address is wrong.
    return failed(isAnswer ? 'unreadable' : 'transient', 'DHL answered something other than a JSON object');
  }
  const shipments = objectsIn(answer, 'shipments');
  if (!Array.isArray(answer.shipments)) return problem(answer);
  const service = SERVICES[asked.carrier];
  const shipment = shipments.find((each) => textOf(each, 'service') === service) ?? shipments[0];
  return shipment ? parseShipment(shipment, asked) : { kind: 'not_found' };
}

function problem(answer: JsonObject): CarrierAnswer {
  const status = codeOf(answer, 'status');
  if (status === '404') return { kind: 'not_found' };
  const text = textOf(answer, 'detail') || textOf(answer, 'title') || 'without shipments';
  if (status === '401' || status === '403') return failed('auth', `DHL refused the key: ${text}`);
  return failed('unreadable', `DHL answered ${status || 'no status'}: ${text}`);
}

function parseShipment(shipment: JsonObject, asked: Asked): CarrierAnswer {
  const destination = placeOf(partOf(shipment, 'destination'));
  const newest = partOf(shipment, 'status');
  const events = objectsIn(shipment, 'events');
  const listed = events.length > 0 ? events : textOf(newest, 'timestamp') ? [newest] : [];
  if (listed.length === 0) return { kind: 'not_found' };
  const history = historyOf(
    listed.map((event) => scanOf(event, destination)),
    'DHL',
  );
  if (!Array.isArray(history)) return history;
  const found: Found = {
    kind: 'found',
    scans: withStatusOfShipment(history, listed, newest),
    ...destinationAt(destination),
  };
  const number = otherNumber(shipment, asked.number);
  if (number !== null) found.otherNumber = number;
  const estimate = estimateIn(shipment, destination);
  if (estimate) found.estimatedDelivery = estimate;
  return found;
}

function scanOf(event: JsonObject, destination: Place): ReadScan | null {
  const timeRaw = textOf(event, 'timestamp');
  const place = placeOf(partOf(event, 'location'));
  const resolved = resolveTimeAt(timeRaw, place, destination.country ? [destination.country] : []);
  if (resolved === null) return null;
  const description = textOf(event, 'description') || textOf(event, 'status') || textOf(event, 'remark');
  const status = statusOf(textOf(event, 'statusCode'), `${textOf(event, 'status')}\n${description}`);
  return { scan: { ...resolved, timeRaw, location: placeText(place), description }, meaning: { status } };
}

/** The newest event has the status of the shipment, where it has no code of its own. */
function withStatusOfShipment(scans: Scan[], listed: readonly JsonObject[], newest: JsonObject): Scan[] {
  const last = scans.at(-1);
  const code = textOf(newest, 'statusCode');
  const event = listed.find((each) => textOf(each, 'timestamp') === last?.timeRaw);
  if (!last || !isKnownCode(code) || (event && isKnownCode(textOf(event, 'statusCode')))) return scans;
  const status = statusOf(code, last.description);
  return status === last.status ? scans : [...scans.slice(0, -1), { ...last, status, ownStatus: last.status }];
}

function placeOf(location: JsonObject): Place {
  const address = partOf(location, 'address');
  return { locality: textOf(address, 'addressLocality'), country: textOf(address, 'countryCode') };
}

/** The number of the shipment, unless the one asked is it or belongs to it. */
function otherNumber(shipment: JsonObject, asked: string): string | null {
  const id = codeOf(shipment, 'id');
  const details = partOf(shipment, 'details');
  const references = [partOf(details, 'references'), ...objectsIn(details, 'references')];
  const pieces = Array.isArray(details.pieceIds) ? details.pieceIds : [];
  const numbers = [id, ...pieces, ...references.map((reference) => codeOf(reference, 'number'))];
  return id === '' || asked === '' || numbers.includes(asked) ? null : id;
}

function estimateIn(shipment: JsonObject, destination: Place) {
  const frame = partOf(shipment, 'estimatedDeliveryTimeFrame');
  const [from, to] = [textOf(frame, 'estimatedFrom'), textOf(frame, 'estimatedThrough')];
  const single = textOf(shipment, 'estimatedTimeOfDelivery');
  return estimateOf(from || to ? from : single, to, destination);
}
