import { readFileSync } from 'node:fs';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../http/http.ts';

/** The text of a file in the folder `fixtures` next to a test. @param here `import.meta.url` of the test. */
export function fixture(here: string, file: string): string {
  return readFileSync(new URL(`./fixtures/${file}`, here), 'utf8');
}

/** The outcome of a call with this body, a text or what is sent as JSON. */
export function response(body: unknown, status = 200, headers: Record<string, string> = {}): HttpOutcome {
  return { kind: 'response', status, headers, text: typeof body === 'string' ? body : JSON.stringify(body) };
}

/**
 * Of an answer: its scans as [time, status, location], the status of the parcel if there are none, its kind or failure.
 */
export function summary(answer: CarrierAnswer | undefined): unknown {
  if (answer?.kind !== 'found') return answer?.kind === 'failed' ? answer.failure : answer?.kind;
  if (answer.scans.length === 0) return answer.parcelStatus;
  return answer.scans.map(({ time, status, location }) => [time, status, location]);
}
