/** A sentence, and what it says in another language. `{name}` in both stands for any text, which may be a phrase as well. */
export type Phrase = readonly [english: string, translation: string];

const NAME = /\\\{(\w+)\\\}/g;
const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/** Translates whole sentences of a table. @returns null: the table does not have the sentence. */
export function translator(phrases: readonly Phrase[]): (english: string) => string | null {
  const patterns = phrases.map(([english, translation]) => {
    const source = english.replace(SPECIAL, String.raw`\$&`).replace(NAME, '(?<$1>.+?)');
    return { pattern: new RegExp(`^${source}$`, 's'), translation };
  });
  const translate = (english: string): string | null => {
    for (const { pattern, translation } of patterns) {
      const found = pattern.exec(english);
      if (found === null) continue;
      return translation.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = found.groups?.[name] ?? '';
        return translate(value) ?? value;
      });
    }
    return null;
  };
  return translate;
}
