import { readFileSync } from 'node:fs';
import { DELAYS } from '@pts/core/tracking/scan';
import { CHINESE, COLLECTED_EXAMPLES, signedBy } from './chinese.ts';
import { ENGLISH } from './english.ts';
import { LANGUAGES } from './languages.ts';
import { entryOf, type Meaning, type MeaningName, meaningNamed } from './meaning.ts';
import { entryFor, meaningOfText } from './reader.ts';
import {
  AT_POINT,
  COLLECTED,
  ONWARD,
  PARTIAL,
  REFUSAL,
  RELEASED,
  RETURNED_OR_RETURNING,
  refinedByText,
  STILL_RETURNING,
} from './refine.ts';
import { RETURNS } from './returns.ts';

type Language = Parameters<typeof entryFor>[0];

test.each(
  Object.entries({ ...LANGUAGES, en: ENGLISH, zh: CHINESE }).flatMap(([language, table]) =>
    table.map((entry) => ({ language, entry, example: entry[2] })),
  ),
)('$language: "$example" is read as its own entry', ({ language, entry, example }) => {
  expect(entryFor(language as Language, example)).toBe(entry);
});

test.each(
  Object.entries({ RETURNS, ONWARD, RELEASED }).flatMap(([name, table]) =>
    table.map((entry) => ({ name, table, entry, example: entry[2] })),
  ),
)('$name: "$example" is read as its own entry', ({ table, entry, example }) => {
  expect(entryOf(example, table)).toBe(entry);
});

test.each(
  Object.entries({ AT_POINT, COLLECTED, PARTIAL, REFUSAL, RETURNED_OR_RETURNING, STILL_RETURNING }).flatMap(
    ([name, phrases]) => phrases.map((phrase) => ({ name, phrases, phrase, example: phrase[1] })),
  ),
)('$name: "$example" is found by its own pattern', ({ phrases, phrase, example }) => {
  expect(phrases.find(([pattern]) => pattern.test(example))).toBe(phrase);
});

test.each(COLLECTED_EXAMPLES)('"%s" says that the recipient has the parcel', (example) => {
  expect(signedBy(example)).toBe('delivered');
});

type Sentence = { language: string; name: string; text: string };

/** The two parts of the file: what the tables were written with, and what was kept apart. */
const [WRITTEN_WITH = [], KEPT_APART = []] = readFileSync(new URL('../testing/sentences.txt', import.meta.url), 'utf8')
  .split(/^== .*$/m)
  .slice(1)
  .map(sentencesIn);

function sentencesIn(part: string): Sentence[] {
  return part.split(/^\[/m).flatMap((group) => {
    const [heading = '', ...texts] = group.trim().split('\n');
    const [language = '', name = ''] = heading.replace(']', '').split(' ');
    return texts.map((text) => ({ language, name, text }));
  });
}

const LANGUAGE_NAMES = [...new Set(WRITTEN_WITH.map(({ language }) => language))];

function isReadAsNamed({ name, text }: Sentence, withProblem: boolean): boolean {
  const read = refinedByText(meaningOfText(text) ?? { status: 'in_transit' }, text);
  const named: Meaning = name === 'moving' ? { status: 'in_transit' } : meaningNamed(name as MeaningName);
  // A parcel that is late is on its way, as one of which the text says nothing.
  const isStatus = statusOf(read) === statusOf(named) && isLate(read) === isLate(named);
  // Trouble may be of a kind that the heading leaves open.
  if (!withProblem || name === 'exception') return isStatus;
  return isStatus && read.problem === named.problem && read.course === named.course;
}

function isLate({ problem }: Meaning): boolean {
  return DELAYS.includes(problem ?? 'other');
}

function statusOf({ status }: Meaning): string {
  return status === 'undeliverable' ? 'exception' : status;
}

test('there are sentences in thirteen languages', () => {
  expect(LANGUAGE_NAMES).toHaveLength(13);
  expect(WRITTEN_WITH.length).toBeGreaterThan(2000);
});

test.each(LANGUAGE_NAMES)('%s: each sentence that the tables were written with is read', (language) => {
  const own = WRITTEN_WITH.filter((each) => each.language === language);
  expect(own.filter((each) => !isReadAsNamed(each, true))).toEqual([]);
});

test.each(LANGUAGE_NAMES)('%s: at least 85 %% of the sentences that were kept apart are read', (language) => {
  const own = KEPT_APART.filter((each) => each.language === language);
  const read = own.filter((each) => isReadAsNamed(each, false));
  expect(own.length).toBeGreaterThanOrEqual(25);
  expect(read.length / own.length).toBeGreaterThanOrEqual(0.85);
});
