import { cleanText } from '@pts/core/tracking/outside-text';

/** Levels of lists and objects that are read; no provider nests half as deep. */
const MOST_LEVELS = 32;

/** The members of a JSON object, of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The JSON object a text holds; null when it is no JSON, or JSON of another kind. Every text in it, names included, is
 * clean (`cleanText`), so that whatever matches or stores it later need not ask who wrote it; what is nested deeper
 * than 32 levels is null.
 */
export function parseObject(text: string): JsonObject | null {
  try {
    const value = clean(JSON.parse(text), MOST_LEVELS);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function clean(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => clean(item, levels - 1));
  // `fromEntries` makes a member of every name, `__proto__` included.
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [cleanText(name), clean(item, levels - 1)]));
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text member; '' when it is missing, null or not a text. */
export function textOf(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

/** A code, which some APIs write as a text and some as a number; '' when it is missing. */
export function codeOf(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'number' ? String(value) : textOf(object, name);
}
