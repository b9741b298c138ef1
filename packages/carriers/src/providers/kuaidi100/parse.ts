import type { CarrierAnswer, Found } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import type { HttpOutcome } from '../../http.ts';
import { codeOf, isObject, type JsonObject, parseObject, textOf } from '../../json.ts';
import { resolveLocalTime } from '../../local-time.ts';
import { tellsPlace } from '../../place-zone.ts';
import { isNoScan, isPlan } from '../../scans/chinese.ts';
import { classified } from '../../scans/meaning.ts';
import { bodyOrFailure, failed } from '../failure.ts';
import type { Asked } from '../manifest.ts';
import { codeOfName, isFinalState, meaningOfCode, meaningOfScan, outcomeOf } from './codes.ts';
import { carrierOf } from './companies.ts';

const WANTS_PHONE =
  'The carrier answers only with the last four digits of the sender\'s or receiver\'s phone: send them as "phone" ' +
  'when you register the number, for example "phone": "5678". If you did, they belong to another phone number.';

/**
 * Reads the answer to one `poll/query` call (basic or `resultv2`, newest scan first, local times without a zone). A scan
 * has the status of its own code, or of its text if the code is coarse or missing. The newest scan has that of the
 * parcel's state, unless it has a specific code.
 */
export function parseQuery(outcome: HttpOutcome, asked: Asked): CarrierAnswer {
  const body = bodyOrFailure(outcome, 'Kuaidi100');
  if (typeof body !== 'string') return body;
  const answer = parseObject(body);
  if (!answer) return failed('unreadable', 'Kuaidi100 answered something other than a JSON object');
  return parseResult(answer, asked);
}

/** Reads an answer, or the same in a push (`lastResult`). */
export function parseResult(answer: JsonObject, asked: Asked): CarrierAnswer {
  // Refusals carry a `returnCode`, answers a `status`.
  const code = codeOf(answer, 'returnCode') || codeOf(answer, 'status');
  return code === '200' ? parseHistory(answer, asked) : refusal(code, answer);
}

function refusal(code: string, answer: JsonObject): CarrierAnswer {
  const message = textOf(answer, 'message');
  const { data } = answer;
  const outcome = outcomeOf(code, message, Array.isArray(data) && data.length === 0);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(
    outcome,
    outcome === 'needs_input' ? WANTS_PHONE : `Kuaidi100 answered ${code || 'no code'}: ${message}`,
  );
}

function parseHistory(answer: JsonObject, asked: Asked): CarrierAnswer {
  const { data } = answer;
  if (!Array.isArray(data)) return failed('unreadable', 'Kuaidi100 answered without a list of scans');
  const listed = data.filter((value) => !isObject(value) || !isNoScan(textOf(value, 'context')));
  if (listed.length === 0) return { kind: 'not_found' };
  const carrier = carrierOf(textOf(answer, 'com')) ?? asked.carrier;
  const read = listed.map((value) => scanOf(value, carrier));
  const scans = read.filter((scan) => scan !== null);
  // A partial history would look complete, so one unreadable scan fails the answer.
  if (scans.length < read.length) {
    return failed('unreadable', `Kuaidi100 answered a scan with an unreadable time (number ${read.indexOf(null) + 1})`);
  }
  const state = codeOf(answer, 'state');
  const found: Found = { kind: 'found', scans: withStatus(scans, state) };
  const number = normalise(textOf(answer, 'nu'));
  if (number !== '' && number !== normalise(asked.number)) found.otherNumber = number;
  if (isFinalState(state)) found.isWatchEnded = true;
  const destination = destinationOf(answer);
  if (destination !== '') found.destination = destination;
  return found;
}

/** Where the parcel goes, if Kuaidi100 knows: `routeInfo.to.name`. */
function destinationOf({ routeInfo }: JsonObject): string {
  const to = isObject(routeInfo) ? routeInfo.to : undefined;
  return isObject(to) ? textOf(to, 'name') : '';
}

function normalise(number: string): string {
  return number.replace(/[\s-]/g, '').toUpperCase();
}

type ScanBeforeStatus = { scan: Omit<Scan, 'status' | 'course'>; code: string };

function scanOf(value: unknown, carrier: string): ScanBeforeStatus | null {
  if (!isObject(value)) return null;
  const location = textOf(value, 'location') || textOf(value, 'areaName');
  const description = textOf(value, 'context');
  const place = location === '' && tellsPlace(description) ? description : location;
  const [read] = [textOf(value, 'time'), textOf(value, 'ftime')].flatMap((timeRaw) => {
    const resolved = resolveLocalTime(timeRaw, carrier, place);
    return resolved === null ? [] : [{ ...resolved, timeRaw }];
  });
  if (read === undefined) return null;
  return {
    scan: { ...read, location, description },
    code: codeOf(value, 'statusCode') || codeOfName(textOf(value, 'status')),
  };
}

function withStatus(read: readonly ScanBeforeStatus[], state: string): Scan[] {
  const made = read.filter(({ scan }) => !isPlan(scan.description));
  const newest = (made.length > 0 ? made : read).reduce((best, next) =>
    next.scan.time > best.scan.time ? next : best,
  );
  return read.map((each) => {
    const { scan, code } = each;
    const own = meaningOfScan(code, scan.description, state);
    if (each !== newest || meaningOfCode(code, scan.description)) return classified(scan, own);
    const ofParcel = meaningOfCode(state, scan.description);
    return ofParcel === undefined ? classified(scan, own) : { ...classified(scan, ofParcel), ownStatus: own.status };
  });
}
