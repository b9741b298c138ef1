import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/**
 * Reads one line of `input`: the first line of a pipe, or hidden input after a prompt at a terminal.
 * @returns '' if there is none
 */
export function askSecret(
  input: Readable & { isTTY?: boolean },
  notes: { write(text: string): unknown },
  question: string,
): Promise<string> {
  const isTerminal = input.isTTY === true;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, ...(isTerminal ? { output: nowhere, terminal: true } : {}) });
  if (isTerminal) notes.write(`${question}: `);
  return new Promise((resolve) => {
    lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    lines.once('line', (line) => {
      resolve(line.trim());
      lines.close();
    });
    lines.once('close', () => {
      if (isTerminal) notes.write('\n');
      resolve('');
    });
  });
}
