import type { Answer } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import type { HttpOutcome } from '../../http.ts';
import { codeOf, isObject, type JsonObject, parseObject, textOf } from '../../json.ts';
import { resolveTime } from '../../time-zone.ts';
import { bodyOrFailure, failed } from '../failure.ts';
import { outcomeOf, statusOfCode, statusOfState, statusOfText } from './codes.ts';

const WANTS_PHONE =
  'The carrier answers only with the last four digits of the sender\'s or receiver\'s phone: give them as "phone" ' +
  'when you register the number, for example "phone": "5678". If you did, they are of another phone.';

/**
 * Reads the answer to one `poll/query` call (basic or `resultv2`, newest scan first, times of Beijing without zone).
 * A scan keeps its own code's status. Without one, the newest scan has the status of the parcel's state, any other
 * what its text says.
 */
export function parseQuery(outcome: HttpOutcome): Answer {
  const body = bodyOrFailure(outcome, 'Kuaidi100');
  if (typeof body !== 'string') return body;
  const answer = parseObject(body);
  if (!answer) return failed('unreadable', 'Kuaidi100 answered something else than a JSON object');
  // Refusals carry a `returnCode`, answers a `status`.
  const code = codeOf(answer, 'returnCode') || codeOf(answer, 'status');
  return code === '200' ? history(answer) : refusal(code, textOf(answer, 'message'));
}

function refusal(code: string, message: string): Answer {
  const outcome = outcomeOf(code, message);
  if (outcome === 'not_found') return { kind: 'not_found' };
  return failed(
    outcome,
    outcome === 'needs_input' ? WANTS_PHONE : `Kuaidi100 answered ${code || 'no code'}: ${message}`,
  );
}

function history(answer: JsonObject): Answer {
  const { data } = answer;
  if (!Array.isArray(data)) return failed('unreadable', 'Kuaidi100 answered without a list of scans');
  if (data.length === 0) return { kind: 'not_found' };
  const read = data.map(scanOf);
  const scans = read.filter((scan) => scan !== null);
  // Half a history would be told as if it were the whole, so one unreadable scan fails the answer.
  if (scans.length < read.length) {
    return failed(
      'unreadable',
      `Kuaidi100 answered a scan without a time that can be read (number ${read.indexOf(null) + 1})`,
    );
  }
  return { kind: 'found', scans: withStatus(scans, codeOf(answer, 'state')) };
}

type ScanBeforeStatus = { scan: Omit<Scan, 'status'>; code: string };

function scanOf(value: unknown): ScanBeforeStatus | null {
  if (!isObject(value)) return null;
  const timeRaw = textOf(value, 'time') || textOf(value, 'ftime');
  const resolved = resolveTime(timeRaw);
  if (!resolved) return null;
  const location = textOf(value, 'location') || textOf(value, 'areaName');
  return {
    scan: { ...resolved, timeRaw, location, description: textOf(value, 'context') },
    code: codeOf(value, 'statusCode'),
  };
}

function withStatus(read: readonly ScanBeforeStatus[], state: string): Scan[] {
  const newest = read.reduce((best, next) => (next.scan.time > best.scan.time ? next : best));
  return read.map((each) => {
    const ofState = each === newest ? statusOfState(state) : undefined;
    return { ...each.scan, status: statusOfCode(each.code) ?? ofState ?? statusOfText(each.scan.description) };
  });
}
