import { en } from './en.ts';
import { zh } from './zh.ts';

type Node = string | ((...args: never[]) => string) | { [key: string]: Node };

/** Every text by its path; those with parameters are called with numbers that read as words, too. */
function textsOf(node: Node, path = ''): [path: string, text: string][] {
  if (typeof node === 'string') return [[path, node]];
  if (typeof node === 'function') return [[path, node(...([2, 3, 4] as unknown as never[]))]];
  return Object.entries(node).flatMap(([key, child]) => textsOf(child, `${path}.${key}`));
}

const english = textsOf(en);
const chinese = textsOf(zh);

test('no text is empty, and every parameter is used', () => {
  for (const [path, text] of [...english, ...chinese]) {
    expect([path, text.trim()]).not.toEqual([path, '']);
    expect([path, /undefined|NaN|\[object/.test(text)]).toEqual([path, false]);
  }
});

test('Chinese is Chinese, with its own punctuation', () => {
  const latin = /^(Webhook|DNS|TLS|[\d/ ]+|quota.*)$/;
  for (const [path, text] of chinese) {
    if (!latin.test(text)) expect([path, /[\u4e00-\u9fff]/.test(text)]).toEqual([path, true]);
    expect([path, /[\u4e00-\u9fff][,:?()]|[,(][\u4e00-\u9fff]/.test(text)]).toEqual([path, false]);
  }
});
