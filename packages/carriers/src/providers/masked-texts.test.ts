import { readdirSync, readFileSync } from 'node:fs';
import { maskText } from '@pts/core/mask';

const here = new URL('.', import.meta.url);

/** Every text in the recorded answers of the providers, whatever its field. */
function textsOfFixtures(): string[] {
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('/fixtures/'));
  const texts = files.flatMap((path) => {
    const content = readFileSync(new URL(path, here), 'utf8');
    return path.endsWith('.xml')
      ? Array.from(content.matchAll(/>([^<>]{4,500})</g), ([, text]) => text ?? '')
      : stringsIn(content);
  });
  return [...new Set(texts)].filter((text) => /\p{L}{2}/u.test(text) && !/^https?:|^[\w+/=.-]+$|[{}]/.test(text));
}

function stringsIn(content: string): string[] {
  const found: string[] = [];
  try {
    JSON.parse(content, (_key, value) => {
      if (typeof value === 'string') found.push(value);
      return value;
    });
  } catch {
    return [];
  }
  return found;
}

test('of the texts that providers have answered with, only those that name people are masked', () => {
  const texts = textsOfFixtures();
  expect(texts.length).toBeGreaterThan(200);
  const masked = texts.map((text) => [text, maskText(text, { number: '', location: '' })]).filter(([a, b]) => a !== b);
  expect(masked.sort()).toEqual([
    ['收件人程某某本人签收', '收件人•••本人签收'],
    ['陈师傅正在派件', '•••师傅正在派件'],
  ]);
});
