import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';

export type Input = Readable & { isTTY?: boolean };

/** Discards what it is given: a terminal's echo of a secret. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/**
 * The first line of the input: of a pipe, or the answer to a question at a terminal, without echo if it is a secret.
 * @throws the reason of the signal
 */
export async function askLine(
  input: Input,
  terminal: NodeJS.WritableStream,
  question: string,
  { isSecret = false, signal }: { isSecret?: boolean | undefined; signal: AbortSignal },
): Promise<string> {
  const isTerminal = input.isTTY === true;
  const lines = createInterface({
    input,
    output: isTerminal && !isSecret ? terminal : nowhere(),
    terminal: isTerminal,
  });
  const ended = new Promise<string>((done) => lines.once('close', () => done('')));
  if (!isTerminal) {
    // Not `question`: it misses a last line that no line break ends.
    const first = new Promise<string>((done) => lines.once('line', done));
    signal.addEventListener('abort', () => lines.close(), { once: true });
    const line = await Promise.race([first, ended]);
    lines.close();
    return line.trim();
  }
  const leaving = new AbortController();
  // At a terminal, readline takes Ctrl-C for itself.
  lines.once('SIGINT', () => leaving.abort(new DOMException('Ctrl-C', 'AbortError')));
  if (isSecret) terminal.write(`${question}: `);
  try {
    const left = AbortSignal.any([signal, leaving.signal]);
    return (await Promise.race([lines.question(`${question}: `, { signal: left }), ended])).trim();
  } finally {
    lines.close();
    if (isSecret) terminal.write('\n');
  }
}
