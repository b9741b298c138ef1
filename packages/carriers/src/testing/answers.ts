import { readFileSync } from 'node:fs';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../http/http.ts';

/** An HTTP answer; a body that is not a string is written as JSON. */
export function response(body: unknown, status = 200): HttpOutcome {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'response', status, headers: {}, text };
}

/** What a provider's `fixtures/expected.json` says about each file: the kind of answer or failure, or its scans. */
export type Summary = string | string[][];

/** An answer as `expected.json` writes it: scans as [time, status, location]. */
export function summaryOf(answer: CarrierAnswer | undefined): Summary | undefined {
  if (answer?.kind !== 'found') return answer?.kind === 'failed' ? answer.failure : answer?.kind;
  return answer.scans.map(({ time, status, location }) => [time, status, location]);
}

/**
 * The fixtures of a provider: each file with its text and its expected result.
 * @param url `import.meta.url` of the test.
 */
export function fixturesBeside(url: string): [file: string, text: string, expected: Summary][] {
  const read = (file: string) => readFileSync(new URL(`./fixtures/${file}`, url), 'utf8');
  const expected: Record<string, Summary> = JSON.parse(read('expected.json'));
  return Object.entries(expected).map(([file, summary]) => [file, read(file), summary]);
}
