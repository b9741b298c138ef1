import { readFileSync } from 'node:fs';
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
