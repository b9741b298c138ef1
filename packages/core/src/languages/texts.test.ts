import { STATUSES, SUB_STATUSES } from '../tracking/status.ts';
import { fill, LANGUAGES, languageOfText, negotiateLanguage, TEXTS } from './texts.ts';

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
    expect(same).toEqual([]);
  });
});

test('gaps are filled in, and unknown ones stay', () => {
  expect(fill('{date} ({source})', { date: '4 March', source: 'carrier' })).toBe('4 March (carrier)');
  expect(fill('{count} {other}', { count: '3' })).toBe('3 {other}');
});

// biome-ignore format: one request per line is readable as a table
test.each([
  ['de', undefined, 'de'],
  ['DE-at', 'fr', 'de'],
  ['zh_Hant_TW', undefined, 'zh'],
  ['pt-BR', undefined, 'pt'],
  // The parameter wins; an unknown one leaves it to the header.
  ['nl', 'fr;q=0.5, es;q=0.7', 'es'],
  ['', 'fr', 'fr'],
  ['nl', undefined, null],
  ['nonsense!', 'x', null],
  [undefined, undefined, null],
  [undefined, '*', null],
  [undefined, 'nl, *;q=0.1', null],
  [undefined, 'nl;q=1, de-CH;q=0.3', 'de'],
  [undefined, 'en-US,en;q=0.9,zh;q=0.8', 'en'],
  [undefined, 'fr;q=0.8, ja;q=0.8', 'fr'],
  [undefined, 'fr;q=0, ja;q=0.001', 'ja'],
  [undefined, 'fr;q=2, ja', 'ja'],
  [undefined, 'fr;q=abc, ko;Q=0.4', 'ko'],
  [undefined, ' ar ; q=1.000 ', 'ar'],
  [undefined, ',,;;q=,', null],
  [undefined, `${'x,'.repeat(400)}de`, null],
])('lang=%s with Accept-Language: %s is %s', (lang, header, language) => {
  expect(negotiateLanguage(lang, header)).toBe(language);
});

// biome-ignore format: one text per line is readable as a table
test.each([
  ['快件正在派送中', {}, 'zh'],
  ['配達完了', { country: 'JP' }, 'ja'],
  ['お届け済み', { language: 'zh' }, 'ja'],
  ['배달 완료', {}, 'ko'],
  ['تم التسليم', {}, 'ar'],
  ['Out for delivery', { language: 'en' }, 'en'],
  ['Votre colis est livré.', { language: 'fr' }, 'fr'],
  // An aggregator passes on what carriers write, and a Chinese provider what carriers abroad write.
  ['Out for delivery', {}, null],
  ['Out for delivery', { language: 'zh' }, null],
  ['Доставлено', { language: 'en' }, null],
  ['', { language: 'en' }, null],
])('"%s", of %j, is %s', (text, writer, language) => {
  expect(languageOfText(text, writer)).toBe(language);
});
