import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { bodyBy } from '../../answer/body.ts';
import { answersByNumber, refusedCall } from '../../answer/by-number.ts';
import { failed } from '../../answer/failure.ts';
import { answerFrom } from '../../answer/history.ts';
import type { ReadScan } from '../../answer/meaning.ts';
import { estimateOf } from '../../estimate.ts';
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
import { destinationAt } from '../../time/destination.ts';
import { resolveTimeAt } from '../../time/local-time.ts';
import type { Requested } from '../manifest.ts';
import { meaningOfEvent, outcomeOf } from './codes.ts';

const TITLE = 'La Poste';
const HOME = { country: 'FR' };
/** Several numbers are answered with 207; a single unknown or invalid one with its own status. */
const ANSWERS = [200, 207, 400, 404];

/**
 * Reads the answer to one `idships` call: an object for one number, a list for several. Each has a `returnCode` of its own. Times
 * have an offset.
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
  const said = textOf(result, 'returnMessage') || textOf(result, 'message');
  if (code === '') return failed('unreadable', `${TITLE} answered a result without a code`);
  const outcome = outcomeOf(code);
  return outcome === 'not_found' ? { kind: 'not_found' } : failed(outcome, `${TITLE} answered ${code}: ${said}`);
}

function scanOf(value: unknown): ReadScan | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'date');
  const location = textOf(value, 'country');
  const description = textOf(value, 'label');
  const resolved = resolveTimeAt(timeRaw, { country: location }, [HOME.country]);
  const meaning = meaningOfEvent(textOf(value, 'code'), description) ?? 'silent';
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}
