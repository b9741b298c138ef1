import { readFileSync } from 'node:fs';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { HttpOutcome } from '../http.ts';
import type { ProviderManifest } from '../providers/manifest.ts';

type Expected = {
  /** The HTTP status of the answer; 200 by default. */
  http?: number;
  asked: string[];
  /** For each number: the kind of answer or failure, or its scans as [time, status, location]. */
  answers: (string | string[][])[];
};

export function response(text: string, status = 200, headers: Record<string, string> = {}): HttpOutcome {
  return { kind: 'response', status, headers, text };
}

/** The kind of an answer or failure, or its scans as [time, status, location]. */
export function summaryOf(answer: CarrierAnswer): string | string[][] {
  if (answer.kind === 'failed') return answer.failure;
  if (answer.kind === 'not_found') return answer.kind;
  return answer.scans.map(({ time, status, location }) => [time, status, location]);
}

/** Tests every answer in `fixtures/` of a provider against `fixtures/expected.json`. */
export function testFixtures(folder: string, parse: ProviderManifest['parse'], carrier: string): void {
  const read = (file: string) => readFixture(folder, file);
  const expected: Record<string, Expected> = JSON.parse(read('expected.json'));
  test.each(Object.entries(expected))('%s is read as expected', (file, { http, asked, answers }) => {
    const parsed = parse(
      response(read(file), http),
      asked.map((number) => ({ number, carrier })),
    );
    expect(parsed.map(summaryOf)).toEqual(answers);
  });
}

export function readFixture(folder: string, file: string): string {
  return readFileSync(new URL(`./fixtures/${file}`, folder), 'utf8');
}
