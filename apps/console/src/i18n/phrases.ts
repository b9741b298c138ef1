/**
 * A sentence, and what it says in another language. `{name}` in both stands for any text, which may be a phrase as
 * well; what a `{fault}` stands for must be one: half a sentence in each language can be read by nobody.
 */
export type Phrase = readonly [english: string, translation: string];

/** Translates whole sentences of a table. @returns null: the table does not have the sentence. */
export function translator(phrases: readonly Phrase[]): (english: string) => string | null {
  const known = phrases.map(([english, translation]) => ({ parts: english.split(PLACE), translation }));
  const translate = (english: string): string | null => {
    for (const { parts, translation } of known) {
      const values = valuesIn(english, parts);
      if (values === null) continue;
      const fault = values.get('fault');
      if (fault !== undefined && translate(fault) === null) return null;
      return translation.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = values.get(name) ?? '';
        return translate(value) ?? value;
      });
    }
    return null;
  };
  return translate;
}

const PLACE = /\{(\w+)\}/;

/**
 * Without a pattern, which would take long for a long text.
 * @param parts of the phrase: texts, with a name between each two.
 * @returns what stands in the place of each name, at least one character; null if the text is another sentence.
 */
function valuesIn(text: string, parts: readonly string[]): Map<string, string> | null {
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return text === first ? new Map() : null;
  if (!text.startsWith(first)) return null;
  const values = new Map<string, string>();
  let from = first.length;
  for (let n = 0; n < rest.length; n += 2) {
    const [name = '', next = ''] = rest.slice(n, n + 2);
    const isLast = n + 2 === rest.length;
    const at = isLast ? text.length - next.length : text.indexOf(next, from + 1);
    if (at <= from || !text.startsWith(next, at)) return null;
    values.set(name, text.slice(from, at));
    from = at + next.length;
  }
  return values;
}
