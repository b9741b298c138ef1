import { ServiceError } from '@pts/core/errors';
import { createTurns, inTurns, type Turns } from './turns.ts';

/** The position of the first JSON error, counted from 1, and what is wrong there. */
export type JsonFault = { line: number; column: number; problem: string };

/** What is expected at the current position. */
type Place = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'after';
type Closer = '}' | ']';

const CODE = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openList: 0x5b,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
};
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const LETTER_E = 0x65;
/** By the code of their first letter. */
const WORDS = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word]));

/** Characters that are searched between two looks at the clock. */
const STEP = 16_384;

/**
 * Finds the position of a fault, which `JSON.parse` does not report on every version of Node. Never repeats the text. One
 * pass over char codes without copies, so it takes about as long as parsing.
 * @returns null for valid JSON.
 */
export function findJsonFault(text: string): JsonFault | null {
  const steps = search(text);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** The error for a body that is not JSON; null for one that is. A large body delays no other request. */
export async function jsonFault(body: string, turns: Turns = createTurns()): Promise<ServiceError | null> {
  const fault = await inTurns(search(body), turns);
  if (fault === null) return null;
  const { line, column, problem } = fault;
  const text = `The request body is not valid JSON at line ${line}, column ${column}: ${problem}.`;
  return new ServiceError('bad_request', { text });
}

/** The search, step by step. */
function* search(text: string): Generator<void, JsonFault | null> {
  /** The closing characters of the open objects and lists. */
  const open: Closer[] = [];
  let place: Place = 'value';
  let at = pastSpace(text, 0);
  for (let nextStep = STEP; at < text.length; ) {
    if (at >= nextStep) {
      nextStep = at + STEP;
      yield;
    }
    const end = pastPart(text, at, place, open.at(-1));
    if (end < 0) return { ...positionOf(text, ~end), problem: problemAt(text, at, ~end, place, open) };
    place = placeAfter(text.charCodeAt(at), place, open);
    at = pastSpace(text, end);
  }
  if (place === 'after' && open.length === 0) return null;
  return { ...positionOf(text, text.length), problem: `the body ends here; ${wanted(place, open)}` };
}

/** The end of the token at this position; for a fault, the complement (`~`) of its position. */
function pastPart(text: string, at: number, place: Place, closer: Closer | undefined): number {
  const code = text.charCodeAt(at);
  const fault = ~at;
  if (place === 'after' && code === CODE.comma) return closer === undefined ? fault : at + 1;
  if (code === CODE.closeList || code === CODE.closeObject) {
    const mayClose = place === 'after' || place === 'first value' || place === 'first name';
    return mayClose && text[at] === closer ? at + 1 : fault;
  }
  if (place === 'colon') return code === CODE.colon ? at + 1 : fault;
  if (place === 'after') return fault;
  if (code === CODE.quote) return pastString(text, at);
  if (place === 'name' || place === 'first name') return fault;
  if (code === CODE.openObject || code === CODE.openList) return at + 1;
  const end = pastLiteral(text, at, code);
  return end === at ? fault : end;
}

/** What can follow a token that starts with this character; updates the open brackets. */
function placeAfter(code: number, place: Place, open: Closer[]): Place {
  switch (code) {
    case CODE.colon:
      return 'value';
    case CODE.comma:
      return open.at(-1) === '}' ? 'name' : 'value';
    case CODE.quote:
      return place === 'name' || place === 'first name' ? 'colon' : 'after';
    case CODE.openObject:
      open.push('}');
      return 'first name';
    case CODE.openList:
      open.push(']');
      return 'first value';
    case CODE.closeObject:
    case CODE.closeList:
      open.pop();
      return 'after';
    default:
      return 'after';
  }
}

/** @returns where the text in double quotes ends, or the complement of where it is at fault. */
function pastString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) return i + 1;
    if (code < 0x20) return ~i;
    if (code !== 0x5c) continue;
    const length = escapeLength(text, i + 1);
    if (length === 0) return ~i;
    i += length;
  }
  return ~text.length;
}

/** Characters of the escape after a backslash: 1, or 5 for `u` and four digits; 0 if it is not an escape. */
function escapeLength(text: string, at: number): number {
  const char = text[at];
  if (char === undefined || !'"\\/bfnrtu'.includes(char)) return 0;
  if (char !== 'u') return 1;
  for (let i = at + 1; i <= at + 4; i++) if (!isHexDigit(text.charCodeAt(i))) return 0;
  return 5;
}

function isHexDigit(code: number): boolean {
  const lower = code | 0x20;
  return isDigit(code) || (lower >= 0x61 && lower <= 0x66);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function pastLiteral(text: string, at: number, code: number): number {
  const word = isDigit(code) ? undefined : WORDS.get(code);
  if (word) return text.startsWith(word, at) ? at + word.length : at;
  const first = code === MINUS ? at + 1 : at;
  let end = text.charCodeAt(first) === ZERO ? first + 1 : pastDigits(text, first);
  if (end === first) return at;
  if (text.charCodeAt(end) === POINT) end = orBack(pastDigits(text, end + 1), end + 1, end);
  if ((text.charCodeAt(end) | 0x20) !== LETTER_E) return end;
  const power = text[end + 1] === '+' || text[end + 1] === '-' ? end + 2 : end + 1;
  return orBack(pastDigits(text, power), power, end);
}

/** Where digits end, or, if there were none, where the number was whole. */
function orBack(end: number, start: number, before: number): number {
  return end === start ? before : end;
}

function pastDigits(text: string, at: number): number {
  let end = at;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return end;
}

function pastSpace(text: string, at: number): number {
  let end = at;
  for (let code = text.charCodeAt(end); code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09; ) {
    end += 1;
    code = text.charCodeAt(end);
  }
  return end;
}

function problemAt(text: string, start: number, at: number, place: Place, open: readonly Closer[]): string {
  if (text[start] !== '"' || at === start) return wanted(place, open);
  if (at === text.length) return 'the body ends here, inside a string';
  if (text[at] === '\\') return 'invalid escape after a backslash';
  return 'a control character inside a string must be escaped';
}

function wanted(place: Place, open: readonly Closer[]): string {
  switch (place) {
    case 'value':
      return 'expected a value';
    case 'first value':
      return 'expected a value or ]';
    case 'name':
      return 'expected a name in double quotes';
    case 'first name':
      return 'expected a name in double quotes or }';
    case 'colon':
      return 'expected a colon';
    case 'after':
      return open.length === 0 ? 'expected the end of the body' : `expected a comma or ${open.at(-1)}`;
    default:
      return place satisfies never;
  }
}

function positionOf(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', lineStart)) {
    line += 1;
    lineStart = next + 1;
  }
  return { line, column: at - lineStart + 1 };
}
