import { PassThrough, Readable } from 'node:stream';
import { askSecret } from './ask-secret.ts';

test("a pipe's first line is the secret, without a prompt", async () => {
  let said = '';
  const notes = { write: (text: string) => (said += text) };
  expect(await askSecret(Readable.from(['whsec_', 'a \nrest\n']), notes, 'Secret')).toBe('whsec_a');
  expect(await askSecret(Readable.from(['whsec_b']), notes, 'Secret')).toBe('whsec_b');
  expect(await askSecret(Readable.from([]), notes, 'Secret')).toBe('');
  expect(said).toBe('');
});

test('at a terminal there is a prompt, and the input is not shown', async () => {
  let said = '';
  const terminal = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const requested = askSecret(terminal, { write: (text: string) => (said += text) }, 'Secret');
  terminal.write('whsec_a\r');
  expect(await requested).toBe('whsec_a');
  expect(said).toBe('Secret: \n');
});
