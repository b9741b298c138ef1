/**
 * Replaces what follows a label. Labels may follow each other, so what follows one is looked at without being consumed.
 * @param label a global pattern.
 * @param read what is to be replaced in the text after the label: from where, and how many characters. Null: nothing.
 */
export function replaceAfter(
  text: string,
  label: RegExp,
  read: (rest: string, found: string) => { at: number; length: number } | null,
  replacement: string,
): string {
  let result = '';
  let copied = 0;
  for (const match of text.matchAll(label)) {
    const end = match.index + match[0].length;
    if (end < copied) continue;
    const part = read(text.slice(end, end + LONGEST), match[0]);
    if (part === null) continue;
    result += text.slice(copied, end + part.at) + replacement;
    copied = end + part.at + part.length;
  }
  return result + text.slice(copied);
}

/** Names end long before. */
const LONGEST = 100;
