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
