import { readFileSync } from 'node:fs';
import type { Found } from '@pts/core/tracking/answer';
import { deriveSubStatus, milestonesOf, problemOf, TROUBLED } from '@pts/core/tracking/derive';
import { fold } from '@pts/core/tracking/fold';
import { DELAYS } from '@pts/core/tracking/scan';
import type { ProviderManifest } from '../providers/manifest.ts';
import { response, type Summary, summaryOf } from './answers.ts';

type Expected = {
  /** The HTTP status of the answer; 200 by default. */
  http?: number;
  requested: string[];
  /** For each number. */
  answers: Summary[];
};

/**
 * Tests every answer in `fixtures/` of a provider against `fixtures/expected.json`, and that none is taken for a
 * history of a number that it is not about.
 * @param url `import.meta.url` of the test.
 */
export function testFixtures(url: string, parse: ProviderManifest['parse'], carrier: string): void {
  const expected: Record<string, Expected> = JSON.parse(readFixture(url, 'expected.json'));
  test.each(Object.entries(expected))('%s is read as expected', (file, { http, requested, answers }) => {
    const outcome = response(readFixture(url, file), http);
    const parsed = parse(
      outcome,
      requested.map((number) => ({ number, carrier })),
    );
    expect(parsed.map(summaryOf)).toEqual(answers);
  });
  test('every answer has a problem exactly while its parcel is in trouble or late, and milestones in order', () => {
    for (const [file, { http, requested }] of Object.entries(expected)) {
      const parsed = parse(
        response(readFixture(url, file), http),
        requested.map((number) => ({ number, carrier })),
      );
      for (const answer of parsed) if (answer.kind === 'found') expect(faultsIn(answer)).toEqual([]);
    }
  });
  test('no answer that names its number is taken for a history of another one', () => {
    const taken = Object.entries(expected).filter(([file, { http, requested }]) => {
      const text = readFixture(url, file);
      if (!requested.some((number) => text.includes(number))) return false;
      const [answer] = parse(response(text, http), [{ number: 'ANOTHER1', carrier }]);
      return answer?.kind === 'found' && answer.otherNumber === undefined;
    });
    expect(taken).toEqual([]);
  });
}

/** The text of a file in `fixtures/`. */
export function readFixture(url: string, file: string): string {
  return readFileSync(new URL(`./fixtures/${file}`, url), 'utf8');
}

/** What contradicts the history of an answer. */
function faultsIn({ scans: listed, pieces }: Found): string[] {
  const { scans } = fold([], listed);
  const state = deriveSubStatus(scans, pieces);
  const problem = problemOf(scans, state);
  const { pickedUpAt = '', deliveredAt = '~' } = milestonesOf(scans, state, pieces) ?? {};
  const isInTrouble = TROUBLED.includes(state);
  return [
    ...(isInTrouble && problem === undefined ? ['trouble without a problem'] : []),
    ...(state === 'exception' && DELAYS.includes(problem ?? 'other') ? ['a delay is an exception'] : []),
    ...((state === 'delivered' || state === 'returned') && problem !== undefined ? ['a problem after arrival'] : []),
    ...(pickedUpAt > deliveredAt ? ['delivered before it was picked up'] : []),
    ...((state === 'delivered') !== (deliveredAt !== '~') ? ['delivered without a time, or the reverse'] : []),
  ];
}
