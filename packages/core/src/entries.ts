/** An entry of a parameter that is an object: `metadata.shop`, or, as some clients write it, `metadata[shop]`. */
const ENTRY = /^(\w+)(?:\.(.+)|\[(.+)\])$/s;

/** Parameters with the entries of those that are objects in one each: `{"metadata": {"shop": …}}`. */
export function nestedEntries(flat: Readonly<Record<string, unknown>>, objects: readonly string[]) {
  const nested = new Map<string, unknown>();
  for (const [sent, value] of Object.entries(flat)) {
    const [, name = '', dotted, bracketed] = ENTRY.exec(sent) ?? [];
    const key = dotted ?? bracketed;
    if (key === undefined || !objects.includes(name)) nested.set(sent, value);
    else nested.set(name, { ...(nested.get(name) as object | undefined), [key]: value });
  }
  return Object.fromEntries(nested);
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
