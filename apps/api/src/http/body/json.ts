import { ServiceError } from '@pts/core/errors';
import { findJsonFault } from './json-fault.ts';

/** Levels of objects and lists within each other. No operation has more than three. */
const MAX_LEVELS = 32;
/** Fields, objects and lists of a body: a hundred for each item of a bulk call. */
const MAX_MEMBERS = 4000;
/** Values of a body: the numbers of a stream, and some more, whose refusal says how many it takes. */
const MAX_VALUES = 12_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Parses JSON within limits that bound the time it takes (docs/decisions/0034-json-bodies.md).
 * @param instead the advice for a body beyond a limit.
 * @throws ServiceError `bad_request` with the position of the fault or the limit that was exceeded.
 */
export function parseJson(text: string, instead?: string): unknown {
  checkShape(text, instead);
  try {
    return JSON.parse(text);
  } catch (error) {
    const fault = findJsonFault(text);
    if (!fault) throw error;
    const { line, column, problem } = fault;
    const message = `The request body is not valid JSON at line ${line}, column ${column}: ${problem}.`;
    throw new ServiceError('bad_request', { text: message });
  }
}

/**
 * Counts in one pass what a parser would meet, up to the first fault of a text.
 * @param instead the advice for a text beyond a limit.
 * @throws ServiceError `bad_request` for too many levels, members or values.
 */
export function checkShape(text: string, instead = 'Split it into smaller requests.'): void {
  const tooMuch = (what: string) => new ServiceError('bad_request', { text: `The JSON ${what}. ${instead}` });
  const tooMany = (most: number, what: string) => tooMuch(`has more than ${most.toLocaleString('en')} ${what}`);
  let levels = 0;
  let members = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at) - 1;
        break;
      case COLON:
        members += 1;
        break;
      case COMMA:
        commas += 1;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        levels += 1;
        members += 1;
        if (levels > MAX_LEVELS) throw tooMuch(`is nested more than ${MAX_LEVELS} levels deep`);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        levels -= 1;
        break;
    }
  }
  if (members > MAX_MEMBERS) throw tooMany(MAX_MEMBERS, 'fields, objects and lists');
  if (commas >= MAX_VALUES) throw tooMany(MAX_VALUES, 'values');
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
