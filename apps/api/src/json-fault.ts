import { ApiError } from '@pts/core/errors';

/** Where a text stops being JSON, counted from 1, and what is wrong there. */
export type JsonFault = { line: number; column: number; problem: string };

/** What may stand where the reading has come to. */
type Place = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'after';
type Closer = '}' | ']';
type Step = { at: number; place: Place } | { at: number; problem: string };

const SPACE = /[ \t\n\r]*/y;
/** A text in double quotes without the last of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they must be escaped
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;
const LITERAL = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/**
 * Finds what `JSON.parse` does not tell on every version of Node: where the fault is. Never repeats the text.
 * @returns null for a text that is JSON.
 */
export function findJsonFault(text: string): JsonFault | null {
  /** What closes the objects and lists that are open. */
  const open: Closer[] = [];
  let at = past(SPACE, text, 0);
  let place: Place = 'value';
  while (at < text.length) {
    const step = read(text, at, place, open);
    if ('problem' in step) return { ...positionOf(text, step.at), problem: step.problem };
    at = past(SPACE, text, step.at);
    place = step.place;
  }
  if (place === 'after' && open.length === 0) return null;
  return { ...positionOf(text, text.length), problem: `it ends here, but ${wanted(place, open)}` };
}

/** The refusal of a body that could not be parsed, or is neither an object nor a list. */
export function notJson(body: string): ApiError {
  const fault = findJsonFault(body);
  if (fault === null) return new ApiError('bad_request', { text: 'The request body must be a JSON object or list.' });
  const { line, column, problem } = fault;
  const text = `The request body is not valid JSON at line ${line}, column ${column}: ${problem}.`;
  return new ApiError('bad_request', { text });
}

function read(text: string, at: number, place: Place, open: Closer[]): Step {
  const char = text[at];
  const fault = { at, problem: wanted(place, open) };
  if (char === open.at(-1) && (place === 'after' || place.startsWith('first'))) {
    open.pop();
    return { at: at + 1, place: 'after' };
  }
  if (place === 'colon') return char === ':' ? { at: at + 1, place: 'value' } : fault;
  if (place === 'after') {
    if (char !== ',' || open.length === 0) return fault;
    return { at: at + 1, place: open.at(-1) === '}' ? 'name' : 'value' };
  }
  const isName = place.endsWith('name');
  if (char === '"') return readString(text, at, isName ? 'colon' : 'after');
  if (isName) return fault;
  if (char === '{' || char === '[') {
    open.push(char === '{' ? '}' : ']');
    return { at: at + 1, place: char === '{' ? 'first name' : 'first value' };
  }
  const end = past(LITERAL, text, at);
  return end === at ? fault : { at: end, place: 'after' };
}

function readString(text: string, at: number, place: Place): Step {
  const end = past(STRING, text, at);
  const char = text[end];
  if (char === '"') return { at: end + 1, place };
  if (char === undefined) return { at: end, problem: 'it ends here, within a text in double quotes' };
  if (char === '\\') return { at: end, problem: 'a backslash must begin one of the escapes that JSON has' };
  return { at: end, problem: 'a control character within a text must be escaped' };
}

function wanted(place: Place, open: readonly Closer[]): string {
  switch (place) {
    case 'value':
      return 'a value must come';
    case 'first value':
      return 'a value or ] must come';
    case 'name':
      return 'a name in double quotes must come';
    case 'first name':
      return 'a name in double quotes or } must come';
    case 'colon':
      return 'a colon must come';
    case 'after':
      return open.length === 0 ? 'nothing may follow' : `a comma or ${open.at(-1)} must come`;
    default:
      return place satisfies never;
  }
}

/** Where what a sticky pattern takes from here ends. */
function past(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function positionOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return { line, column: at - before.lastIndexOf('\n') };
}
