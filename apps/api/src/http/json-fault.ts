/** The position of the first JSON error, counted from 1, and what is wrong there. */
export type JsonFault = { line: number; column: number; problem: string };

const LINE_FEED = 0x0a;

const CHARACTERS = String.raw`[ !#-[\]-\uffff]*`;
const OPEN_STRING = String.raw`"${CHARACTERS}(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})${CHARACTERS})*`;
const STRING = `${OPEN_STRING}"`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const VALUE = `[[{]|${STRING}|${NUMBER}|true|false|null`;

/** What can stand at each place of a text. */
const PLACES = {
  value: { token: sticky(VALUE), expected: 'a value' },
  firstValue: { token: sticky(String.raw`\]|${VALUE}`), expected: 'a value or ]' },
  name: { token: sticky(STRING), expected: 'a name in double quotes' },
  firstName: { token: sticky(`}|${STRING}`), expected: 'a name in double quotes or }' },
  colon: { token: sticky(':'), expected: 'a colon' },
  afterField: { token: sticky('[,}]'), expected: 'a comma or }' },
  afterEntry: { token: sticky(String.raw`[,\]]`), expected: 'a comma or ]' },
  afterAll: { token: sticky('(?!)'), expected: 'the end of the body' },
} as const;
type Place = keyof typeof PLACES;

const SPACE = sticky(String.raw`[ \t\n\r]*`);
const STRING_START = sticky(OPEN_STRING);

/**
 * Finds the position of a fault, which `JSON.parse` does not report on every version of Node. Never repeats the text.
 * @returns null for valid JSON.
 */
export function findJsonFault(text: string): JsonFault | null {
  /** What follows the values of each open object and list. */
  const open: Place[] = [];
  let place: Place = 'value';
  for (let at = pastOf(SPACE, text, 0); at < text.length; ) {
    const end = pastOf(PLACES[place].token, text, at);
    if (end === at) return faultAt(text, at, place);
    place = placeAfter(text.charAt(at), place, open);
    at = pastOf(SPACE, text, end);
  }
  if (place === 'afterAll') return null;
  return { ...positionOf(text, text.length), problem: `the body ends here; expected ${PLACES[place].expected}` };
}

function sticky(source: string): RegExp {
  return new RegExp(source, 'y');
}

/** The position after what matches here; the same position if nothing does. */
function pastOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
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
  const { token, expected } = PLACES[place];
  const takesString = token.source.includes(STRING);
  const end = takesString ? pastOf(STRING_START, text, at) : at;
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
