import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Stores when each number was first queried, which starts its journey. */
export type FirstRequests = {
  /** In the order of `numbers`; `now` for new ones, which is stored when this returns. */
  startsOf(numbers: readonly string[], now: Date): Date[];
  close(): void;
};

/** Beyond this many numbers, the oldest are forgotten: when queried again, they start over. */
const LIMIT = 1_000_000;

type Starts = Map<string, number>;
type Journal = { append(fresh: Starts): void; close(): void };

/** Kept in memory only. */
export function rememberInMemory(limit = LIMIT): FirstRequests {
  return remember(new Map(), limit, { append: () => {}, close: () => {} });
}

/**
 * Survives the process, however it ends: one JSON line per number, written before it is used.
 * @throws what the file system throws, when the file can be neither read nor written
 */
export function rememberInFile(path: string, limit = LIMIT): FirstRequests {
  mkdirSync(dirname(path), { recursive: true });
  let fd = openSync(path, 'a');
  const { starts, lineCount } = load(path);
  forgetOldest(starts, limit);
  let lines = lineCount;
  return remember(starts, limit, {
    append(fresh) {
      if (lines > 2 * limit) {
        rewrite(path, starts);
        closeSync(fd);
        fd = openSync(path, 'a');
        lines = starts.size;
      }
      appendFileSync(fd, toLines(fresh));
      lines += fresh.size;
    },
    close: () => closeSync(fd),
  });
}

function remember(starts: Starts, limit: number, journal: Journal): FirstRequests {
  return {
    startsOf(numbers, now) {
      const fresh: Starts = new Map();
      for (const number of numbers) if (!starts.has(number)) fresh.set(number, now.getTime());
      if (fresh.size > 0) {
        journal.append(fresh);
        for (const [number, start] of fresh) starts.set(number, start);
      }
      const answer = numbers.map((number) => new Date(starts.get(number) ?? now.getTime()));
      forgetOldest(starts, limit);
      return answer;
    },
    close: () => journal.close(),
  };
}

/** A map lists its keys in insertion order. */
function forgetOldest(starts: Starts, limit: number): void {
  for (const number of starts.keys()) {
    if (starts.size <= limit) return;
    starts.delete(number);
  }
}

/** The line break comes first: after a truncated line from a crash, the new one is still separate. */
function toLines(starts: Starts): string {
  return [...starts]
    .map(([number, start]) => `\n${JSON.stringify({ number, first_asked: new Date(start).toISOString() })}`)
    .join('');
}

function rewrite(path: string, starts: Starts): void {
  writeFileSync(`${path}.new`, toLines(starts));
  renameSync(`${path}.new`, path);
}

function load(path: string): { starts: Starts; lineCount: number } {
  const lines = readFileSync(path, 'utf8').split('\n');
  const starts: Starts = new Map();
  for (const line of lines) {
    const entry = readLine(line);
    if (entry && !starts.has(entry.number)) starts.set(entry.number, entry.start);
  }
  return { starts, lineCount: lines.length };
}

/** Null for a truncated or foreign line: its number starts over, the others are not affected. */
function readLine(line: string): { number: string; start: number } | null {
  try {
    const { number, first_asked } = JSON.parse(line);
    const start = Date.parse(first_asked);
    return typeof number === 'string' && Number.isFinite(start) ? { number, start } : null;
  } catch {
    return null;
  }
}
