/** The members of a JSON object, of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON object a text holds; null when it is no JSON, or JSON of another kind. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
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
