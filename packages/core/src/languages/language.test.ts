import { languageOfText, negotiateLanguage } from './language.ts';

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
