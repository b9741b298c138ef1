import { DELAYS } from '@pts/core/tracking/scan';
import { PUBLIC_SENTENCES, SENTENCES } from '../testing/sentences.ts';
import { CHINESE, COLLECTED_EXAMPLES, signedBy } from './chinese.ts';
import { ENGLISH } from './english.ts';
import { LANGUAGES } from './languages.ts';
import { entryOf } from './meaning.ts';
import { entryFor, meaningOfText } from './reader.ts';
import { ONWARD, RELEASED } from './refine.ts';
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

test.each(COLLECTED_EXAMPLES)('"%s" says that the recipient has the parcel', (example) => {
  expect(signedBy(example)).toBe('delivered');
});

const COLLECTED = [...Object.entries(SENTENCES), ...Object.entries(PUBLIC_SENTENCES)].flatMap(([language, byMeaning]) =>
  Object.entries(byMeaning).flatMap(([key, texts]) =>
    texts.map(
      (text) => [language, text, key.startsWith('moving') ? 'in_transit' : key.replace('_back', ''), key] as const,
    ),
  ),
);

test.each(COLLECTED)('%s: "%s" is %s', (_language, text, status, key) => {
  const { status: read = 'in_transit', problem } = meaningOfText(text) ?? {};
  expect(DELAYS.includes(problem ?? 'other')).toBe(key === 'moving_late');
  expect(read === 'undeliverable' ? 'exception' : read).toBe(status);
});
