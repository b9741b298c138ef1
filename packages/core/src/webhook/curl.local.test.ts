import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { curlCommand, shellQuote } from './push.ts';

/** The words into which a shell splits a command line. */
const words = (line: string) =>
  execFileSync('sh', ['-c', `print() { for word; do printf '%s\\0' "$word"; done; }; print ${line}`], {
    encoding: 'utf8',
  })
    .split('\0')
    .slice(0, -1);

test.each([
  ['a quote', "it's"],
  ['a command', '$(touch /tmp/x) `id` ; rm -rf . # !!'],
  ['lines', 'a\nb\\\n'],
  ['nothing', ''],
  ['an option', '--output=/etc/passwd'],
])('%s stays one word', (_, text) => {
  expect(words(shellQuote(text))).toEqual([text]);
});

test('a shell reads any quoted text back unchanged', () => {
  const text = fc.string({ unit: fc.constantFrom("'", '"', '\\', '$', '`', '!', '\n', ' ', '*', 'a', '云') });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
      expect(words(texts.map(shellQuote).join(' '))).toEqual(texts);
    }),
    { numRuns: 50 },
  );
});

test('a request becomes a command with its URL, every header and the exact body', () => {
  const body = '@/etc/passwd "$HOME" \'云\'';
  const url = 'https://example.com/a/../[1-9]?x={a,b}&y=$(id)';
  const command = curlCommand({ url, headers: { 'Content-Type': 'application/json', 'X-Webhook-Id': 'm' }, body });
  expect(words(command)).toEqual([
    ...['curl', '--include', '--globoff', '--path-as-is', url],
    ...['--header', 'Content-Type: application/json', '--header', 'X-Webhook-Id: m', '--data-raw', body],
  ]);
});
