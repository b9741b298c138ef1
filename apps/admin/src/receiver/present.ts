import { forTerminal } from '@pts/core/terminal';
import type { Arrival } from './serve.ts';

export type Paint = (colour: 'green' | 'red' | 'yellow' | 'bold' | 'dim', text: string) => string;

const CODES = { green: 32, red: 31, yellow: 33, bold: 1, dim: 2 } as const;
const INDENT = ' '.repeat(10);

export const plain: Paint = (_colour, text) => text;
export const coloured: Paint = (colour, text) => `\u001b[${CODES[colour]}m${text}\u001b[0m`;

/** A push as text: the event, the parcel, whether it is verified, and warnings. */
export function linesOf(arrival: Arrival, paint: Paint): string[] {
  const { at, event, parcel, latest, messageId, attempt, seq } = arrival;
  const status = forTerminal([parcel.status, parcel.subStatus && `(${parcel.subStatus})`].filter(Boolean).join(' '));
  const head = [paint('bold', forTerminal(event ?? 'no event')), forTerminal(parcel.number ?? ''), status]
    .filter(Boolean)
    .join('  ');
  const about = [
    attempt && `attempt ${attempt}`,
    seq !== null && `seq ${seq}`,
    messageId && `message ${messageId}`,
    answered(arrival),
  ].filter(Boolean);
  const lines = [
    `${paint('dim', clock(at))}  ${head}`,
    latest && `${INDENT}${forTerminal([latest.time, latest.location, latest.description].filter(Boolean).join('  '))}`,
    `${INDENT}${verified(arrival, paint)} · ${about.join(' · ')}`,
    ...remarks(arrival).map(([colour, remark]) => `${INDENT}${paint(colour, remark)}`),
  ];
  return lines.filter((line) => line !== null);
}

function verified({ verdict }: Arrival, paint: Paint): string {
  if (verdict === null) return paint('yellow', 'unverified');
  if (verdict.ok) return paint('green', 'verified');
  return paint('red', 'NOT VERIFIED');
}

function answered({ answer, delaySeconds }: Arrival): string {
  const later = delaySeconds > 0 ? ` in ${delaySeconds} s` : '';
  if (answer === 'hang') return 'not answered';
  return answer === 'reset' ? `connection cut${later}` : `answered ${answer}${later}`;
}

function remarks({ isDuplicate, newerSeq, verdict }: Arrival): ['red' | 'yellow', string][] {
  if (verdict?.ok === false) return [['red', verdict.message]];
  return [
    ...(isDuplicate ? [mark('duplicate: this message was accepted before; do not process it again')] : []),
    ...(newerSeq === null
      ? []
      : [mark(`out of order: seq ${newerSeq} of this parcel arrived before; keep the newer state`)]),
  ];
}

function mark(text: string): ['yellow', string] {
  return ['yellow', text];
}

/** In the local time of the reader. */
function clock(at: Date): string {
  return at.toTimeString().slice(0, 8);
}

/** A push as JSON. */
export function documentOf(arrival: Arrival): object {
  const { at, verdict, event, parcel, seq, latest, attempt, messageId, isDuplicate, newerSeq, ...rest } = arrival;
  return {
    type: 'push',
    time: at.toISOString(),
    event,
    tracking_number: parcel.number,
    status: parcel.status,
    sub_status: parcel.subStatus,
    seq,
    latest_event: latest,
    attempt: attempt === null ? null : Number(attempt),
    message_id: messageId,
    verified: verdict === null ? null : verdict.ok,
    reason: verdict?.ok === false ? verdict.reason : null,
    duplicate: isDuplicate,
    stale: newerSeq !== null,
    answer: rest.answer,
    delay_seconds: rest.delaySeconds,
    body: rest.body,
  };
}
