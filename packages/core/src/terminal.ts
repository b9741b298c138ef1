/** Characters that take two columns on a terminal: names may be Chinese. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Characters that take none: accents and vowels of Thai or Hindi that join another one, and invisible ones. */
const JOINED = /[\p{Mn}\p{Me}\p{Cf}]/gu;

function width(text: string): number {
  return [...text.replaceAll(JOINED, '')].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}

/** A number with its noun: `1 unit`, `2 units`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Aligns cells in columns, two spaces apart. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widest = (i: number) => Math.max(...rows.map((row) => width(row[i] ?? '')));
  const widths = Array.from({ length: Math.max(0, ...rows.map((row) => row.length)) }, (_, i) => widest(i));
  const pad = (cell: string, i: number) => cell + ' '.repeat((widths[i] ?? 0) - width(cell));
  return rows.map((row) => row.map(pad).join('  ').trimEnd());
}

/** Control characters besides the line break and the tab, and those that change the direction of text. */
const UNSAFE = /[\p{Bidi_Control}\u2028\u2029]|[^\P{Cc}\n\t]/gu;

/** A text of others for a terminal, which such characters would change. */
export function forTerminal(text: string): string {
  return text.replace(UNSAFE, '\ufffd');
}

/** JSON for a terminal and for programs: the same value, with such characters as escapes. */
export function jsonForTerminal(json: string): string {
  return json.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
