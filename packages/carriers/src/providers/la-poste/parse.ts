import type { CarrierAnswer, Failure } from '@pts/core/tracking/answer';
import { answerFrom, answersByNumber, refusedCall } from '../../answer/answers.ts';
import { bodyBy, failed } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import {
  codeOf,
  isObject,
  type JsonObject,
  listIn,
  oneOrMore,
  parseObject,
  parseObjects,
  textOf,
} from '../../http/json.ts';
import { codeTable, GOING_BACK, type Meaning, type ReadScan } from '../../texts/meaning.ts';
import { meaningOfText } from '../../texts/reader.ts';
import { destinationAt } from '../../time/place.ts';
import { estimateOf, resolveTimeAt } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'La Poste';
const HOME = { country: 'FR' };
/** Several numbers are answered with 207; a single unknown or invalid one with its own status. */
const ANSWERS = [200, 207, 400, 404];

/**
 * Reads the answer to one `idships` call: an object for one number, a list for several. Each has a `returnCode` of its
 * own. Times have an offset.
 */
export function parseIdships(outcome: HttpOutcome, requested: readonly Requested[]): CarrierAnswer[] {
  const read = bodyBy(resultsIn, outcome, TITLE, ANSWERS);
  if (read.kind === 'failed') return requested.map(() => read);
  const results = read.body;
  const [only] = results;
  if (only && results.length === 1 && numberIn(only) === '') return refusedCall(requested, answerOf(only));
  return answersByNumber(requested, results, { provider: TITLE, numbersOf: (result) => [numberIn(result)], answerOf });
}

function resultsIn(text: string): JsonObject[] | null {
  const results = parseObjects(text) ?? oneOrMore(parseObject(text));
  return results.length > 0 ? results : null;
}

function numberIn(result: JsonObject): string {
  return textOf(isObject(result.shipment) ? result.shipment : {}, 'idShip') || textOf(result, 'idShip');
}

function answerOf(result: JsonObject): CarrierAnswer {
  const code = codeOf(result, 'returnCode') || codeOf(result, 'code');
  const { shipment } = result;
  const events = isObject(shipment) ? listIn(shipment, 'event') : [];
  if (isObject(shipment) && (code.startsWith('20') || (code === '' && events.length > 0))) {
    const country = textOf(isObject(shipment.contextData) ? shipment.contextData : {}, 'arrivalCountry');
    // A day, written as midnight in UTC at the local time (`2031-07-08T02:00:00+02:00`).
    const estimatedDelivery = estimateOf(textOf(shipment, 'estimDate').slice(0, 10), '', HOME);
    return answerFrom(events.map(scanOf), TITLE, { estimatedDelivery, ...destinationAt({ country }) });
  }
  const reason = textOf(result, 'returnMessage') || textOf(result, 'message');
  if (code === '') return failed('unreadable', `${TITLE} returned a result without a code`);
  const outcome = outcomeOf(code);
  return outcome === 'not_found'
    ? { kind: 'not_found' }
    : failed(outcome, `${TITLE} responded with ${code}: ${reason}`);
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'date');
  const location = textOf(value, 'country');
  const description = textOf(value, 'label');
  const resolved = resolveTimeAt(timeRaw, { country: location }, [HOME.country]);
  const code = textOf(value, 'code');
  const meaning = meaningOfEvent(code, description) ?? 'silent';
  return (
    resolved && { scan: { ...resolved, timeRaw, location, description }, meaning, place: { country: location }, code }
  );
}

const meaningOf = codeTable({
  DR1: 'info_received', // announced by the sender
  PC1: 'in_transit', // taken over
  PC2: 'in_transit', // taken over in the country of origin
  ET1: 'in_transit', // being processed
  ET2: 'in_transit', // in the country of origin
  ET3: 'in_transit', // in the country of destination
  ET4: 'in_transit', // in a country on the way
  EP1: 'in_transit', // waits for its presentation
  DO1: 'in_transit', // in customs
  DO2: 'in_transit', // out of customs
  DO3: 'customs',
  PB1: 'exception', // any kind
  PB2: 'in_transit', // trouble solved
  MD2: 'in_transit', // in the site that delivers
  ND1: 'undeliverable', // any kind
  AN1: 'exception', // any kind
  AG1: 'available_for_pickup', // waits at the counter
  RE1: GOING_BACK,
  DI1: 'delivered',
  DI2: 'returned', // delivered to the sender
});

/** Codes whose label may say more: parcels that are prepared for delivery and those on the round share one. */
const COARSE: ReadonlySet<string> = new Set(['MD2', 'RE1', 'PC1', 'ET1']);

export function meaningOfEvent(code: string, label: string): Meaning | undefined {
  const known = meaningOf(code);
  if (known !== undefined && !COARSE.has(code)) return known;
  return meaningOfText(label) ?? known;
}

/** `returnCode` of one number, the HTTP status of the call, or the name of a refusal of the gateway. */
const OUTCOME_OF_CODE: readonly (readonly [RegExp, Failure | 'not_found'])[] = [
  [/^404$|not_?found/i, 'not_found'],
  [/^400$/, 'invalid_number'],
  [/^40[13]$|unauthori[sz]ed|forbidden/i, 'auth'],
  [/^429$|too_?many|quota|rate_?limit/i, 'rate_limited'],
];

export function outcomeOf(code: string): Failure | 'not_found' {
  return OUTCOME_OF_CODE.find(([pattern]) => pattern.test(code))?.[1] ?? 'temporary';
}
