import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { bodyOrFailure, failed } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { type JsonObject, listIn, objectsIn, parseObject, partOf, textOf } from '../../http/json.ts';
import { codeTable, GOING_BACK, type Meaning, type ReadScan } from '../../texts/meaning.ts';
import { statedProof } from '../../texts/proof.ts';
import { meaningOfText } from '../../texts/reader.ts';
import { refinedByText } from '../../texts/refine.ts';
import { destinationAt, type Place, pickupPointAt, placeText } from '../../time/place.ts';
import { estimateOf, offsetBeside, resolveTimeBeside } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'FedEx';

/**
 * Reads the answer to one `POST /track/v1/trackingnumbers`: a result for each number, with errors of its own.
 */
export function parseTrackingNumbers(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const body = bodyOrFailure(outcome, TITLE, [200, 400]);
  if (typeof body !== 'string') return requested.map(() => body);
  const answer = parseObject(body);
  const errors = answer ? objectsIn(answer, 'errors') : [];
  const output = answer && partOf(answer, 'output');
  if (!output || !Array.isArray(output.completeTrackResults)) {
    const status = outcome.kind === 'response' ? outcome.status : 0;
    return refusedCall(
      requested,
      refusal(errors[0]) ?? failed('unreadable', `${TITLE} responded without results`),
      status,
    );
  }
  // Several results for one number are different parcels: FedEx reuses numbers.
  const parcels = objectsIn(output, 'completeTrackResults').flatMap((results) =>
    objectsIn(results, 'trackResults').map((result) => ({ number: textOf(results, 'trackingNumber'), result })),
  );
  return answersByNumber(requested, parcels, {
    provider: TITLE,
    numbersOf: ({ number }) => [number],
    answerOf: ({ result }) => answerOf(result),
  });
}

function answerOf(result: JsonObject): CarrierAnswer {
  const events = objectsIn(result, 'scanEvents');
  const offsets = events.map((event) => OFFSET.exec(textOf(event, 'date'))?.[0]);
  const scans = events.map((event, i) => scanOf(event, offsetBeside(offsets, i)));
  const answer = answerFrom(scans, TITLE, {
    state: meaningOfLatest(partOf(result, 'latestStatusDetail')),
    stateAt: timesIn(result).get('ACTUAL_DELIVERY'),
    estimatedDelivery: estimateIn(result),
    proof: proofIn(partOf(result, 'deliveryDetails')),
    pickupPoint: pickupPointIn(partOf(partOf(result, 'holdAtLocation'), 'locationContactAndAddress')),
    ...destinationAt(destinationOf(result)),
  });
  const error = partOf(result, 'error');
  return answer.kind === 'not_found' && textOf(error, 'code') !== '' ? (refusal(error) ?? answer) : answer;
}

function proofIn(details: JsonObject) {
  const signedBy = textOf(details, 'signedByName') || textOf(details, 'receivedByName');
  return statedProof({ signedBy, place: textOf(details, 'locationDescription') });
}

/** The FedEx location at which the parcel is held for its recipient. */
function pickupPointIn(held: JsonObject) {
  const address = partOf(held, 'address');
  const lines = listIn(address, 'streetLines').filter((line) => typeof line === 'string' && line !== '');
  const town = [textOf(address, 'postalCode'), placeText(placeOf(address))].filter((part) => part !== '').join(' ');
  return pickupPointAt({
    name: textOf(partOf(held, 'contact'), 'companyName'),
    address: lines.length === 0 ? '' : [...lines, town].join(', '),
  });
}

function refusal(error: JsonObject | undefined): CarrierAnswer | null {
  if (!error) return null;
  const code = textOf(error, 'code');
  const outcome = outcomeOfError(code);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(outcome, `${TITLE} responded with ${code}: ${textOf(error, 'message')}`);
}

function meaningOfLatest(latest: JsonObject): Meaning | undefined {
  const [code, derived] = [textOf(latest, 'code'), textOf(latest, 'derivedCode')];
  const text = textOf(latest, 'description') || textOf(latest, 'statusByLocale');
  const meaning = code || derived || text ? meaningOf(code, derived, text) : 'informational';
  return meaning === 'informational' ? undefined : meaning;
}

const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/;

function scanOf(event: JsonObject, neighbour: string | undefined): ReadScan | null {
  const timeRaw = textOf(event, 'date');
  const place = placeOf(partOf(event, 'scanLocation'));
  const resolved = resolveTimeBeside(timeRaw, place, ['US'], neighbour);
  if (resolved === null) return null;
  const what = textOf(event, 'eventDescription');
  const why = textOf(event, 'exceptionDescription');
  const meaning = meaningOf(textOf(event, 'eventType'), textOf(event, 'derivedStatusCode'), `${what} ${why}`);
  // Other events also carry the reason of an earlier exception.
  const isTrouble = meaning !== 'informational' && meaning.status === 'exception';
  const description = isTrouble && why !== '' && why !== what ? `${what}: ${why}` : what;
  return {
    scan: { ...resolved, timeRaw, location: placeText(place), description },
    meaning,
    place,
    code: textOf(event, 'eventType'),
  };
}

function placeOf(location: JsonObject): Place {
  return {
    locality: textOf(location, 'city'),
    region: textOf(location, 'stateOrProvinceCode'),
    country: textOf(location, 'countryCode'),
  };
}

/** The recipient's address, otherwise the last station. */
function destinationOf(result: JsonObject): Place {
  const recipient = placeOf(partOf(partOf(result, 'recipientInformation'), 'address'));
  if (placeText(recipient) !== '') return recipient;
  const station = partOf(partOf(result, 'destinationLocation'), 'locationContactAndAddress');
  return placeOf(partOf(station, 'address'));
}

function timesIn(result: JsonObject): Map<string, string> {
  return new Map(objectsIn(result, 'dateAndTimes').map((each) => [textOf(each, 'type'), textOf(each, 'dateTime')]));
}

function estimateIn(result: JsonObject) {
  const times = timesIn(result);
  if (times.has('ACTUAL_DELIVERY')) return undefined;
  const window = partOf(partOf(result, 'estimatedDeliveryTimeWindow'), 'window');
  const [begins, ends] = [textOf(window, 'begins'), textOf(window, 'ends')];
  const place = destinationOf(result);
  return estimateOf(begins, ends, place) ?? estimateOf(times.get('ESTIMATED_DELIVERY') ?? '', '', place);
}

/** `eventType` and `derivedStatusCode` of a scan. */
const meaningOfCode = codeTable({
  OC: 'info_received', // order created
  OX: 'info_received', // data sent to USPS
  EP: 'info_received', // on the way to the pickup
  MD: 'info_received', // data of the manifest
  IN: 'info_received', // initiated
  RP: 'info_received', // a label for a return was sent
  RG: 'info_received', // a label for a return is about to expire
  RD: 'info_received', // a label for a return has expired
  LP: 'info_received', // a label for a return was cancelled
  PU: 'in_transit', // picked up
  PX: 'in_transit', // picked up, see the details
  OF: 'in_transit', // at the facility of origin
  AP: 'in_transit', // at the pickup
  IT: 'in_transit', // in transit
  IX: 'in_transit', // in transit, see the details
  AA: 'in_transit', // at the airport
  AC: 'in_transit', // at a facility of Canada Post
  AF: 'in_transit', // at a facility
  AR: 'in_transit', // arrived
  AX: 'in_transit', // at a facility of USPS
  CC: 'in_transit', // cleared customs
  CU: 'in_transit', // customs
  DP: 'in_transit', // departed
  DR: 'in_transit', // vehicle not used
  EA: 'in_transit', // on the way to the airport
  EO: 'in_transit', // on the way to the airport of origin
  FD: 'in_transit', // at the destination
  HA: 'in_transit',
  LO: 'in_transit', // left the origin
  PF: 'in_transit', // plane in flight
  PL: 'in_transit', // plane landed
  PM: 'in_transit', // in progress
  SF: 'in_transit', // at the sorting facility
  SH: 'in_transit',
  SP: 'in_transit', // the parts of a shipment differ
  TR: 'in_transit', // transferred
  AD: 'out_for_delivery', // at the delivery
  ED: 'out_for_delivery', // on the way to the delivery
  OD: 'out_for_delivery',
  HL: 'available_for_pickup', // held at a location
  HP: 'available_for_pickup', // ready for pickup
  DL: 'delivered',
  DE: 'exception', // any kind
  SE: 'exception', // any kind
  CD: 'customs', // clearance delay
  DY: 'delayed',
  DD: 'delayed',
  PY: { status: 'info_received', problem: 'delayed' }, // the pickup is late
  CA: 'cancelled',
  CH: 'exception', // the location was changed
  RS: GOING_BACK, // return to shipper
  RT: GOING_BACK, // return to shipper
});

/** Shipment data changed, or the recipient chose a delivery option: nothing happened to the parcel. */
const INFORMS: ReadonlySet<string> = new Set(['AO', 'AE', 'RC', 'RM', 'RR']);

/** The meaning of a scan: of its event, or of its derived status if the event is unknown. */
function meaningOf(eventType: string, derived: string, text: string): Meaning | 'informational' {
  if (INFORMS.has(eventType)) return 'informational';
  const known = meaningOfCode(eventType) ?? meaningOfCode(derived);
  const ofText = meaningOfText(text);
  if (known?.course === undefined && ofText?.status === 'available_for_pickup') return ofText;
  return refinedByText(known ?? ofText ?? { status: 'in_transit' }, text);
}

/** The meaning of an error about one number, by its code. */
function outcomeOfError(code: string): Failure | 'not_found' {
  if (/\.NOTFOUND$/.test(code)) return 'not_found';
  if (/NUMBER\.(?:EMPTY|INVALID)$|^TRACKING\.TRACKINGNUMBER\.(?:LENGTH|FORMAT)/.test(code)) return 'invalid_number';
  if (/AUTHORI[SZ]ED|FORBIDDEN|LOGIN/.test(code)) return 'auth';
  return /INTERNAL|UNAVAILABLE|UNEXPECTED|SYSTEM|TIMEOUT/.test(code) ? 'temporary' : 'unreadable';
}
