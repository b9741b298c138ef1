import { STATUSES, SUB_STATUSES } from '../tracking/status.ts';
import { LANGUAGES } from './language.ts';
import { TEXTS } from './texts.ts';

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

  test('has every text of the page, with the same gaps to fill in as English', () => {
    const english = new Map(textsIn(TEXTS.en));
    const own = textsIn(texts);
    expect(own.map(([path]) => path).sort()).toEqual([...english.keys()].sort());
    expect(own.filter(([path, text]) => String(bracesIn(text)) !== String(bracesIn(english.get(path) ?? '')))).toEqual(
      [],
    );
    expect(own.filter(([, text]) => text.trim() !== text || text === '')).toEqual([]);
  });
});
