import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { run } from '../run.ts';

type Ran = { code: number; out: string; err: string };
type More = { env?: Record<string, string>; input?: string; signal?: AbortSignal; onOut?: (all: string) => void };

/** Runs `pts` in this process, for a user with a home of their own. `close` removes it. */
export function newUser(env: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'pts-home-'));
  const pts = async (args: string[], more: More = {}): Promise<Ran> => {
    const [out, err] = [collector(more.onOut), collector()];
    const code = await run(args, {
      env: { ...env, ...more.env },
      platform: 'linux',
      home,
      stdin: Readable.from(more.input === undefined ? [] : [more.input]),
      stdout: out.stream,
      stderr: err.stream,
      signal: more.signal ?? new AbortController().signal,
    });
    return { code, out: out.text(), err: err.text() };
  };
  return { pts, home, close: () => rmSync(home, { recursive: true, force: true }) };
}

function collector(onText: (all: string) => void = () => {}) {
  let all = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      all += chunk;
      onText(all);
      done();
    },
  });
  return { stream, text: () => all };
}
