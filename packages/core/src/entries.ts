/** An entry of a parameter that is an object: `metadata.shop`, or, as some clients write it, `metadata[shop]`. */
const ENTRY = /^(\w+)(?:\.(.+)|\[(.+)\])$/s;

/**
 * Parameters with the entries of those that are objects in one each: `{"metadata": {"shop": …}}`. Such a parameter may
 * also be sent whole, as JSON. What is no JSON object stays as it is, for the check of its schema to refuse.
 */
export function nestedEntries(flat: Readonly<Record<string, unknown>>, objects: readonly string[]) {
  const nested = new Map<string, unknown>();
  for (const [sent, value] of Object.entries(flat)) {
    const [, name = sent, dotted, bracketed] = ENTRY.exec(sent) ?? [];
    const key = dotted ?? bracketed;
    if (!objects.includes(name)) nested.set(sent, value);
    else nested.set(name, merged(nested.get(name), key === undefined ? objectIn(value) : { [key]: value }));
  }
  return Object.fromEntries(nested);
}

/** The entries of both; if one of them is no object, that one. */
function merged(earlier: unknown, given: unknown): unknown {
  if (earlier === undefined || !isObject(given)) return given;
  return isObject(earlier) ? { ...earlier, ...given } : earlier;
}

/** The object whose JSON a value is; the value itself if it is no such text. */
function objectIn(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('{')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The inverse: every entry under a name of its own, `metadata.shop`. What is undefined is left out. */
export function flatEntries(
  nested: Readonly<Record<string, string | Readonly<Record<string, string>> | undefined>>,
): Record<string, string> {
  const entries = Object.entries(nested).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (typeof value === 'string') return [[name, value]];
    return Object.entries(value).map(([key, text]) => [`${name}.${key}`, text]);
  });
  return Object.fromEntries(entries);
}
