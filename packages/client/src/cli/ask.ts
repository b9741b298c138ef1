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
  const leaving = new AbortController();
  // At a terminal, readline takes Ctrl-C for itself.
  lines.once('SIGINT', () => leaving.abort(new DOMException('Ctrl-C', 'AbortError')));
  const ended = new Promise<string>((done) => lines.once('close', () => done('')));
  if (isTerminal && isSecret) terminal.write(`${question}: `);
  try {
    const answer = lines.question(isTerminal ? `${question}: ` : '', {
      signal: AbortSignal.any([signal, leaving.signal]),
    });
    return (await Promise.race([answer, ended])).trim();
  } finally {
    lines.close();
    if (isTerminal && isSecret) terminal.write('\n');
  }
}
