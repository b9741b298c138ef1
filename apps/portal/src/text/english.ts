/** Around English in a Chinese page. Private characters: no text has them. */
const [OPEN, CLOSE] = ['\uE000', '\uE001'];

/** A piece of a line that is English, whatever the language of its page. */
export function english(text: string): string {
  return text === '' ? '' : `${OPEN}${text}${CLOSE}`;
}

/** The same for paragraphs and lists. */
export function englishBlock(text: string): string {
  return [OPEN, text, CLOSE].join('\n\n');
}

/** What readers' browsers and screen readers know it by. */
export function markEnglish(html: string): string {
  return html
    .replaceAll(`<p>${OPEN}</p>`, '<div lang="en">')
    .replaceAll(`<p>${CLOSE}</p>`, '</div>')
    .replaceAll(OPEN, '<span lang="en">')
    .replaceAll(CLOSE, '</span>');
}

/** The text as it is searched, and read as Markdown. */
export function withoutMarks(text: string): string {
  return text.replaceAll(`${OPEN}\n\n`, '').replaceAll(`\n\n${CLOSE}`, '').replaceAll(OPEN, '').replaceAll(CLOSE, '');
}
