import { PUBLIC_SENTENCES, SENTENCES } from '../testing/sentences.ts';
import { CHINESE_EXAMPLES, COLLECTED_EXAMPLES, meaningOfChinese, signedBy } from './chinese-signatures.ts';
import { LANGUAGES } from './languages.ts';
import type { Meaning } from './meaning.ts';
import { meaningOfText } from './reader.ts';

const meaningOf = (meaning: Meaning | Meaning['status']) =>
  typeof meaning === 'string' ? { status: meaning } : meaning;
const ENTRIES = Object.entries(LANGUAGES).flatMap(([language, entries]) =>
  entries.map(([meaning, , example]) => ({ language, meaning, example })),
);

test.each(ENTRIES)('$language: "$example"', ({ meaning, example }) => {
  expect(meaningOfText(example)).toEqual(meaningOf(meaning));
});

test.each(CHINESE_EXAMPLES)('zh: "$example"', ({ example, meaning }) => {
  expect(meaningOfChinese(example)).toEqual(meaningOf(meaning));
});

test.each(COLLECTED_EXAMPLES)('"%s" says that the recipient has the parcel', (example) => {
  expect(signedBy(example)).toBe('delivered');
});

const COLLECTED = [...Object.entries(SENTENCES), ...Object.entries(PUBLIC_SENTENCES)].flatMap(([language, byMeaning]) =>
  Object.entries(byMeaning).flatMap(([key, texts]) =>
    texts.map((text) => [language, text, key.startsWith('moving') ? 'in_transit' : key.replace('_back', '')] as const),
  ),
);

test.each(COLLECTED)('%s: "%s" is %s', (_language, text, status) => {
  const read = meaningOfText(text)?.status ?? 'in_transit';
  expect(read === 'undeliverable' ? 'exception' : read).toBe(status);
});
