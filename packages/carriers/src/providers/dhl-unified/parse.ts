import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { ScanStatus } from '@pts/core/tracking/status';
import { answerByNumber, answerFrom, plainText } from '../../answer/answers.ts';
import { failed, failureOfStatus, jsonBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { codeOf, type JsonObject, objectsIn, partOf, textOf } from '../../http/json.ts';
import type { Meaning, ReadScan } from '../../texts/meaning.ts';
import { statedProof } from '../../texts/proof.ts';
import { meaningOfText } from '../../texts/reader.ts';
import { refinedByText } from '../../texts/refine.ts';
import { destinationAt, type Place, placeText } from '../../time/place.ts';
import { estimateOf, resolveTimeAt } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'DHL';
/** A number that DHL does not know has 404, one that it cannot read 400, each with a problem in JSON. */
const ANSWERS = [200, 400, 404];

/**
 * Reads the answer to one `GET /track/shipments`. Times are local at the place of the event, or have an offset: the
 * divisions of DHL differ. Events of some divisions have no `statusCode`: then their text decides.
 */
export function parseShipments(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = jsonBody(outcome, TITLE, ANSWERS);
  if (read.kind === 'failed') return read;
  const { body: answer } = read;
  const shipments = objectsIn(answer, 'shipments');
  if (!Array.isArray(answer.shipments)) return problem(answer);
  return answerByNumber(requested, shipments, {
    provider: TITLE,
    numbersOf,
    answerOf,
    carrierOf: (shipment) => (textOf(shipment, 'service') === SERVICES[requested.carrier] ? requested.carrier : null),
    missing: { kind: 'not_found' },
  });
}

function proofIn(proof: JsonObject) {
  const signer = partOf(proof, 'signed');
  return statedProof({
    signedBy: textOf(signer, 'name') || textOf(signer, 'familyName'),
    urls: [textOf(proof, 'signatureUrl'), textOf(proof, 'documentUrl')],
  });
}

function problem(answer: JsonObject): CarrierAnswer {
  const status = codeOf(answer, 'status');
  if (status === '404') return { kind: 'not_found' };
  const text = textOf(answer, 'detail') || textOf(answer, 'title') || 'without shipments';
  const failure = /^(?:401|403|429|5\d\d)$/.test(status) ? failureOfStatus(Number(status)) : 'unreadable';
  return failed(failure, `${TITLE} answered ${status || 'no status'}: ${text}`);
}

function answerOf(shipment: JsonObject): CarrierAnswer {
  const destination = placeOf(partOf(shipment, 'destination'));
  const origin = placeOf(partOf(shipment, 'origin'));
  const homes = [origin.country, destination.country, countryOfService(textOf(shipment, 'service'))];
  const newest = partOf(shipment, 'status');
  const code = textOf(newest, 'statusCode');
  const text = textOf(newest, 'description') || textOf(newest, 'remark');
  return answerFrom(
    listedIn(shipment, newest).map((event) => scanOf(event, homes)),
    TITLE,
    {
      state: STATUS_OF_CODE.has(code) ? meaningOf(code, `${textOf(newest, 'status')}\n${text}`) : undefined,
      estimatedDelivery: estimateIn(shipment, destination),
      proof: proofIn(partOf(partOf(shipment, 'details'), 'proofOfDelivery')),
      ...destinationAt(destination),
    },
  );
}

/** The events, and before them the delivery if only the status of the shipment reports it yet. */
function listedIn(shipment: JsonObject, newest: JsonObject): JsonObject[] {
  const events = objectsIn(shipment, 'events');
  const timestamp = textOf(newest, 'timestamp');
  if (timestamp === '') return events;
  const isNews = textOf(newest, 'statusCode') === 'delivered' && events.every((event) => isBefore(event, timestamp));
  if (!isNews) return events.length > 0 ? events : [newest];
  const isOldestFirst = textOf(events[0] ?? {}, 'timestamp') < textOf(events.at(-1) ?? {}, 'timestamp');
  return isOldestFirst ? [...events, newest] : [newest, ...events];
}

function isBefore(event: JsonObject, timestamp: string): boolean {
  const [time, other] = [textOf(event, 'timestamp'), timestamp];
  return time.length === other.length && time < other;
}

/** @param homes the countries to use if the event has none: origin, destination and that of the division. */
function scanOf(event: JsonObject, [origin = '', ...others]: readonly (string | undefined)[]): ReadScan | null {
  const timeRaw = textOf(event, 'timestamp');
  const place = placeOf(partOf(event, 'location'));
  const description = plainText(textOf(event, 'description') || textOf(event, 'status') || textOf(event, 'remark'));
  const meaning = meaningOf(textOf(event, 'statusCode'), `${textOf(event, 'status')}\n${description}`);
  const homes = others.filter((home) => home !== undefined);
  const resolved = resolveTimeAt(
    timeRaw,
    place,
    meaning.status === 'info_received' ? [origin, ...homes] : [...homes, origin],
  );
  return (
    resolved && {
      scan: { ...resolved, timeRaw, location: placeText(place), description },
      meaning,
      place,
      code: textOf(event, 'statusCode'),
    }
  );
}

function placeOf(location: JsonObject): Place {
  const address = partOf(location, 'address');
  const [locality, country] = [textOf(address, 'addressLocality'), textOf(address, 'countryCode')];
  // Some localities end with the country.
  const isTwice = country !== '' && locality.endsWith(`, ${country}`);
  return { locality: isTwice ? locality.slice(0, -country.length - 2) : locality, country };
}

function numbersOf(shipment: JsonObject): string[] {
  const details = partOf(shipment, 'details');
  const references = [partOf(details, 'references'), ...objectsIn(details, 'references')];
  const pieces = Array.isArray(details.pieceIds) ? details.pieceIds.filter((each) => typeof each === 'string') : [];
  return [codeOf(shipment, 'id'), ...pieces, ...references.map((reference) => codeOf(reference, 'number'))];
}

function estimateIn(shipment: JsonObject, destination: Place) {
  const frame = partOf(shipment, 'estimatedDeliveryTimeFrame');
  const [from, to] = [textOf(frame, 'estimatedFrom'), textOf(frame, 'estimatedThrough')];
  const single = textOf(shipment, 'estimatedTimeOfDelivery');
  return estimateOf(from || to ? from : single, to, destination);
}

/**
 * The divisions of DHL that answer, by our carrier codes: of several shipments with one number, the division's own
 * counts.
 */
export const SERVICES: Readonly<Record<string, string>> = {
  dhl: 'express',
  'dhl-paket': 'parcel-de',
  'deutsche-post': 'post-de',
};

/** Where the divisions of one country report from: `parcel-pl`, `post-de`. */
function countryOfService(service: string): string | undefined {
  const country = /^(?:parcel|post)-([a-z]{2})$/.exec(service)?.[1]?.toUpperCase();
  return country === 'UK' ? 'GB' : country;
}

/** `statusCode`, of a shipment or of an event. `unknown` says nothing. */
const STATUS_OF_CODE = new Map<string, ScanStatus>([
  ['pre-transit', 'info_received'],
  ['transit', 'in_transit'],
  ['delivered', 'delivered'],
  ['failure', 'exception'], // any kind: the text says which
]);

/** The meaning of a scan: that of its code, unless the text is more precise; that of its text if it has no code. */
function meaningOf(code: string, text: string): Meaning {
  return refinedByText(knownMeaning(code, text), text);
}

function knownMeaning(code: string, text: string): Meaning {
  const ofCode = STATUS_OF_CODE.get(code);
  if (ofCode !== undefined && ofCode !== 'in_transit') return { status: ofCode };
  const ofText = meaningOfText(text) ?? { status: 'in_transit' };
  // A shipment on its way is neither announced nor delivered, whatever a text says.
  const isContrary = ofCode === 'in_transit' && (ofText.status === 'info_received' || ofText.status === 'delivered');
  return isContrary ? { status: 'in_transit' } : ofText;
}
