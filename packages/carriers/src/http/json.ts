import { cleanText } from '@pts/core/tracking/outside-text';

/** The maximum nesting depth; no provider uses half of it. */
const MAX_LEVELS = 32;

/** The members of a JSON object of unknown shape. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Parses a JSON object; null for invalid JSON or another type. Every text in it, including names, is
 * cleaned (`cleanText`), so later code can match and store it safely; values nested deeper
 * than 32 levels is null.
 */
export function parseObject(text: string): JsonObject | null {
  const value = parseCleaned(text);
  return isObject(value) ? value : null;
}

/** Parses a JSON array in the same way and keeps the objects in it; null for anything else. */
export function parseObjects(text: string): JsonObject[] | null {
  const value = parseCleaned(text);
  return Array.isArray(value) ? value.filter(isObject) : null;
}

/** Undefined for invalid JSON. */
function parseCleaned(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isClean(value, MAX_LEVELS) ? value : clean(value, MAX_LEVELS);
  } catch {
    return undefined;
  }
}

/**
 * Whether cleaning would change nothing, as with nearly all answers: a copy would cost more than the rest of the
 * parsing.
 */
function isClean(value: unknown, levels: number): boolean {
  if (typeof value === 'string') return cleanText(value) === value;
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isClean(item, levels - 1));
  for (const name in value) {
    if (cleanText(name) !== name || !isClean((value as JsonObject)[name], levels - 1)) return false;
  }
  return true;
}

function clean(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => clean(item, levels - 1));
  // `fromEntries` creates a member for every name, including `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [cleanText(name), clean(item, levels - 1)]));
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string member; '' if it is missing, null or not a string. */
export function textOf(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

/**
 * A member of a JSON object, neither truncated nor sanitized: for a value that is passed back to the API, never shown
 * or stored.
 * @returns undefined if the text is not a JSON object, or has no such member.
 */
export function uncutMember(text: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value[name] : undefined;
  } catch {
    return undefined;
  }
}

/** A code, which some APIs send as a string and some as a number; '' if it is missing. */
export function codeOf(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'number' ? String(value) : textOf(object, name);
}

/** A member that is an object; an empty one if it is missing or something else. */
export function partOf(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}

/** The objects in a list; none if it is missing or something else. */
export function objectsIn(object: JsonObject, name: string): JsonObject[] {
  return listIn(object, name).filter(isObject);
}

/**
 * The members of a list. Where JSON was made of XML, a list of one is its only object, and an empty one may be an empty
 * object.
 */
export function listIn(object: JsonObject, name: string): readonly unknown[] {
  const value = object[name];
  if (isObject(value)) return Object.keys(value).length === 0 ? [] : [value];
  return Array.isArray(value) ? value : [];
}

/** The objects of a list, or the object that stands for a list of one; anything else is left out. */
export function oneOrMore(value: unknown): JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}
