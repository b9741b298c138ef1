/** The position of the first JSON error, counted from 1, and what is wrong there. */
export type JsonFault = { line: number; column: number; problem: string };

const LINE_FEED = 0x0a;

const STRING_START = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*/y;
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const VALUE = [/[[{]|true|false|null/y, STRING, NUMBER];
const SPACE = /[ \t\n\r]*/y;

/** What can stand at each place of a text. */
const PLACES: Record<
  'value' | 'firstValue' | 'name' | 'firstName' | 'colon' | 'afterField' | 'afterEntry' | 'afterAll',
  { tokens: readonly RegExp[]; expected: string }
> = {
  value: { tokens: VALUE, expected: 'a value' },
  firstValue: { tokens: [/\]/y, ...VALUE], expected: 'a value or ]' },
  name: { tokens: [STRING], expected: 'a name in double quotes' },
  firstName: { tokens: [/}/y, STRING], expected: 'a name in double quotes or }' },
  colon: { tokens: [/:/y], expected: 'a colon' },
  afterField: { tokens: [/[,}]/y], expected: 'a comma or }' },
  afterEntry: { tokens: [/[,\]]/y], expected: 'a comma or ]' },
  afterAll: { tokens: [], expected: 'the end of the body' },
};
type Place = keyof typeof PLACES;

/**
 * Finds the position of a fault, which `JSON.parse` does not report on every version of Node. Never repeats the text.
 * @returns null for valid JSON.
 */
export function findJsonFault(text: string): JsonFault | null {
  /** What follows the values of each open object and list. */
  const open: Place[] = [];
  let place: Place = 'value';
  for (let at = pastOf(SPACE, text, 0); at < text.length; ) {
    const end = pastAnyOf(PLACES[place].tokens, text, at);
    if (end === at) return faultAt(text, at, place);
    place = placeAfter(text.charAt(at), place, open);
    at = pastOf(SPACE, text, end);
  }
  if (place === 'afterAll') return null;
  return { ...positionOf(text, text.length), problem: `the body ends here; expected ${PLACES[place].expected}` };
}

/** The position after what matches here; the same position if nothing does. */
function pastOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function pastAnyOf(patterns: readonly RegExp[], text: string, at: number): number {
  for (const pattern of patterns) {
    const end = pastOf(pattern, text, at);
    if (end > at) return end;
  }
  return at;
}

/** What can follow a token that starts with this character; updates the open objects and lists. */
function placeAfter(start: string, place: Place, open: Place[]): Place {
  switch (start) {
    case ':':
      return 'value';
    case ',':
      return place === 'afterField' ? 'name' : 'value';
    case '{':
      open.push('afterField');
      return 'firstName';
    case '[':
      open.push('afterEntry');
      return 'firstValue';
    case '}':
    case ']':
      open.pop();
      break;
    default:
      if (place === 'name' || place === 'firstName') return 'colon';
  }
  return open.at(-1) ?? 'afterAll';
}

function faultAt(text: string, at: number, place: Place): JsonFault {
  const { tokens, expected } = PLACES[place];
  const end = tokens.includes(STRING) ? pastOf(STRING_START, text, at) : at;
  return { ...positionOf(text, end), problem: end === at ? `expected ${expected}` : problemInString(text.charAt(end)) };
}

/** @param next what follows the valid part of a string. */
function problemInString(next: string): string {
  if (next === '') return 'the body ends here, inside a string';
  if (next === '\\') return 'invalid escape after a backslash';
  return 'a control character inside a string must be escaped';
}

function positionOf(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let each = 0; each < at; each++) {
    if (text.charCodeAt(each) !== LINE_FEED) continue;
    line += 1;
    lineStart = each + 1;
  }
  return { line, column: at - lineStart + 1 };
}
