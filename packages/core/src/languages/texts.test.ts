import { STATUSES, SUB_STATUSES } from '../tracking/status.ts';
import { LANGUAGES } from './language.ts';
import { fill, TEXTS } from './texts.ts';

/** In columns: characters of Chinese, Japanese and Korean take two. */
const MAX_PILL = 24;
const widthOf = (text: string) =>
  [...text].reduce(
    (width, character) =>
      width + (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(character) ? 2 : 1),
    0,
  );

/** Every text with its place in the table. */
function textsIn(value: object, path = ''): [string, string][] {
  return Object.entries(value).flatMap(([key, part]) =>
    typeof part === 'string' ? [[`${path}${key}`, part] as [string, string]] : textsIn(part, `${path}${key}.`),
  );
}

const bracesIn = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

describe.each(LANGUAGES)('%s', (language) => {
  const texts = TEXTS[language];

  test('has a text for every status and sub-status, each short enough for a pill', () => {
    expect(Object.keys(texts.status)).toEqual([...STATUSES]);
    expect(Object.keys(texts.subStatus)).toEqual([...SUB_STATUSES]);
    const pills = [...Object.values(texts.status), ...Object.values(texts.subStatus)];
    expect(pills.filter((text) => text.trim() === '' || widthOf(text) > MAX_PILL)).toEqual([]);
  });

  test('tells sub-statuses apart', () => {
    expect(new Set(Object.values(texts.subStatus)).size).toBe(SUB_STATUSES.length);
  });

  test('has every text of the page, with the same gaps to fill in as English', () => {
    const english = new Map(textsIn(TEXTS.en));
    const own = textsIn(texts);
    expect(own.map(([path]) => path).sort()).toEqual([...english.keys()].sort());
    expect(own.filter(([path, text]) => String(bracesIn(text)) !== String(bracesIn(english.get(path) ?? '')))).toEqual(
      [],
    );
    expect(own.filter(([, text]) => text.trim() !== text || text === '')).toEqual([]);
  });

  test('is written in its own language', () => {
    if (language === 'en') return;
    const same = textsIn(texts.page).filter(([path, text]) => new Map(textsIn(TEXTS.en.page)).get(path) === text);
    expect(same.filter(([path]) => path !== 'sourced')).toEqual([]);
  });
});

test('gaps are filled in, and unknown ones stay', () => {
  expect(fill('{date} ({source})', { date: '4 March', source: 'carrier' })).toBe('4 March (carrier)');
  expect(fill('{count} {other}', { count: '3' })).toBe('3 {other}');
});
