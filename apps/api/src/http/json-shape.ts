import { ServiceError } from '@pts/core/errors';

/** Levels of objects and lists within each other. No operation has more than three. */
const MOST_LEVELS = 32;
/**
 * Fields, objects and lists of a body: a hundred for each item of a bulk call. A parser takes far longer for them than for text or
 * for a list of numbers.
 */
export const MOST_MEMBERS = 4000;
/** Characters that are read between two looks at the clock, or parsed at once. */
export const STEP = 16_384;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Positions of a text. */
type Range = { start: number; end: number };

/** A list of several steps: the positions of its brackets and of the commas between its parts. */
export type LongList = Range & { cuts: number[]; name: Range | null };

/**
 * Reads the shape of JSON in one pass over its characters, step by step. Up to the first fault of a text, it counts what a
 * parser would meet.
 * @returns the long lists: the body itself, or fields of it, with their names.
 * @throws ServiceError `bad_request` for too many levels or members.
 */
export function* readShape(text: string, mostMembers: number, step = STEP): Generator<void, LongList[]> {
  const tooMany = () => tooMuch(`has more than ${mostMembers.toLocaleString('en')} fields, objects and lists`);
  const lists = createLongLists(text, step);
  let levels = 0;
  let members = 0;
  let lastString = { start: 0, end: 0 };
  let nextStep = step;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      lastString = { start: at, end: endOfString(text, at) };
      at = lastString.end - 1;
    } else if (code === COLON) members += 1;
    else if (code === COMMA) lists.comma(at, levels);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      levels += 1;
      members += 1;
      if (levels > MOST_LEVELS) throw tooMuch(`is nested more than ${MOST_LEVELS} levels deep`);
      lists.open(at, levels, lastString);
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      lists.close(at, levels);
      levels -= 1;
    }
    if (at < nextStep) continue;
    if (members > mostMembers) throw tooMany();
    nextStep = at + step;
    yield;
  }
  if (members > mostMembers) throw tooMany();
  return lists.found;
}

/** @returns the position after the closing quote, or after the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
  }
  return text.length;
}

/** Collects the long lists from the structure of a text. */
function createLongLists(text: string, step: number) {
  const found: LongList[] = [];
  /** The level of such lists: they are the body, or its fields. */
  let level = 1;
  let list: LongList | null = null;
  let partStart = 0;
  return {
    found,
    open(at: number, levels: number, lastString: Range) {
      const isList = text.charCodeAt(at) === OPEN_LIST;
      if (levels === 1) level = isList ? 1 : 2;
      if (levels !== level) return;
      list = isList ? { start: at, end: at, cuts: [], name: level === 1 ? null : lastString } : null;
      partStart = at;
    },
    comma(at: number, levels: number) {
      if (!list || levels !== level || at - partStart < step) return;
      list.cuts.push(at);
      partStart = at;
    },
    close(at: number, levels: number) {
      if (!list || levels !== level) return;
      // Closed by the wrong bracket, it is left to the parser, which refuses it.
      if (text.charCodeAt(at) === CLOSE_LIST && list.cuts.length > 0) found.push({ ...list, end: at });
      list = null;
    },
  };
}

export function tooMuch(what: string): ServiceError {
  return new ServiceError('bad_request', { text: `The JSON ${what}. Split it into smaller requests.` });
}
