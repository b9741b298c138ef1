import { readFileSync } from 'node:fs';
import type { ProviderManifest } from '../providers/manifest.ts';
import { response, type Summary, summaryOf } from './answers.ts';

type Expected = {
  /** The HTTP status of the answer; 200 by default. */
  http?: number;
  asked: string[];
  /** For each number. */
  answers: Summary[];
};

/**
 * Tests every answer in `fixtures/` of a provider that takes several numbers, or answers with several HTTP statuses, against
 * `fixtures/expected.json`.
 * @param url `import.meta.url` of the test.
 */
export function testFixtures(url: string, parse: ProviderManifest['parse'], carrier: string): void {
  const expected: Record<string, Expected> = JSON.parse(readFixture(url, 'expected.json'));
  test.each(Object.entries(expected))('%s is read as expected', (file, { http, asked, answers }) => {
    const outcome = response(readFixture(url, file), http);
    const parsed = parse(
      outcome,
      asked.map((number) => ({ number, carrier })),
    );
    expect(parsed.map(summaryOf)).toEqual(answers);
  });
}

/** The text of a file in `fixtures/`. */
export function readFixture(url: string, file: string): string {
  return readFileSync(new URL(`./fixtures/${file}`, url), 'utf8');
}
