import { randomUUID } from 'node:crypto';
import { jsonFault } from './json-fault.ts';
import { type LongList, MOST_MEMBERS, readShape, STEP, tooMuch } from './json-shape.ts';
import { inTurns, type Turns } from './turns.ts';

/** The most characters that are parsed at once. */
const MOST_AT_ONCE = 4 * STEP;
/** Stands for a long list in the rest of its text. No text can contain it, because nobody knows it. */
const MARK = randomUUID();

/**
 * Parses JSON within limits of depth and members, which are counted before the parser runs. Long lists are parsed in parts, so
 * that a large body delays no other request.
 * @throws ServiceError `bad_request` with the position of the fault or the limit that was exceeded.
 */
export async function parseJson(text: string, mostMembers: number, turns: Turns, step = STEP): Promise<unknown> {
  const lists = await inTurns(readShape(text, mostMembers, step), turns);
  try {
    return await parseParts(text, lists, turns);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw (await jsonFault(text, turns)) ?? tooMuch(`has a value of more than ${MOST_AT_ONCE / 1024} KiB`);
  }
}

/** Checks a short text. @throws ServiceError `bad_request` for too many levels or members. */
export function checkShape(text: string): void {
  const shape = readShape(text, MOST_MEMBERS, text.length);
  while (!shape.next().done);
}

async function parseParts(text: string, lists: readonly LongList[], turns: Turns): Promise<unknown> {
  const parsed: unknown[][] = [];
  let rest = '';
  let end = 0;
  for (const [n, list] of lists.entries()) {
    rest += `${text.slice(end, list.start)}"${MARK}${n}"`;
    end = list.end + 1;
    parsed.push(await parseList(text, list, turns));
  }
  const value = parse(rest + text.slice(end)) as Record<string, unknown>;
  for (const [n, { name }] of lists.entries()) {
    if (name === null) return parsed[n];
    const field = parse(text.slice(name.start, name.end)) as string;
    // Of fields with the same name, the last one counts.
    if (value[field] === `${MARK}${n}`) value[field] = parsed[n];
  }
  return value;
}

async function parseList(text: string, { start, end, cuts }: LongList, turns: Turns): Promise<unknown[]> {
  const values: unknown[] = [];
  let from = start + 1;
  for (const to of [...cuts, end]) {
    const part = parse(`[${text.slice(from, to)}]`) as unknown[];
    if (part.length === 0) throw new SyntaxError('a comma without a value');
    for (const value of part) values.push(value);
    from = to + 1;
    await turns.next();
  }
  return values;
}

/** @throws SyntaxError, or RangeError for a text that would take too long. */
function parse(text: string): unknown {
  if (text.trim().length > MOST_AT_ONCE) throw new RangeError('too long to be parsed at once');
  return JSON.parse(text);
}
