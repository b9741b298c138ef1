import { ServiceError } from '@pts/core/errors';
import { notJson } from './json-fault.ts';
import type { Turns } from './turns.ts';

/** Levels of objects and lists within each other. No operation has more than three. */
const MOST_LEVELS = 32;
/** Fields, objects and lists of a body. A parser takes far longer for them than for text or for a list of numbers. */
export const MOST_MEMBERS = 10_000;

/**
 * Parses JSON within limits of depth and members, which are counted before the parser runs.
 * @throws ServiceError `bad_request` with the position of the fault or the limit that was exceeded.
 */
export async function parseJson(text: string, mostMembers: number, turns: Turns): Promise<unknown> {
  checkShape(text, mostMembers);
  try {
    return JSON.parse(text);
  } catch {
    throw await notJson(text, turns);
  }
}

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Refuses JSON of too many levels or parts in one pass over its characters. Up to the first fault of a text it counts
 * what a parser would meet.
 */
export function checkShape(text: string, mostMembers = MOST_MEMBERS): void {
  let levels = 0;
  let members = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isQuoted) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isQuoted = false;
    } else if (code === QUOTE) isQuoted = true;
    else if (code === COLON) members += 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      levels += 1;
      members += 1;
      if (levels > MOST_LEVELS) throw tooMuch(`is nested more than ${MOST_LEVELS} levels deep`);
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) levels -= 1;
  }
  if (members > mostMembers)
    throw tooMuch(`has more than ${mostMembers.toLocaleString('en')} fields, objects and lists`);
}

function tooMuch(what: string): ServiceError {
  return new ServiceError('bad_request', { text: `The JSON ${what}. Split it into smaller requests.` });
}
