const SPECIAL: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const ENTITIES: readonly (readonly [string, string])[] = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&amp;', '&'],
];

/** An XML element; texts are written unchanged, so they must be escaped (`escaped`) or be elements. */
export function element(name: string, content: string, attributes: Readonly<Record<string, string>> = {}): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<${name}${written.join('')}>${content}</${name}>`;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (char) => SPECIAL[char] ?? char);
}

/** The value of an attribute in a document of a client; '' without it. */
export function attributeIn(xml: string, name: string): string {
  return between(xml, ` ${name}="`, '"');
}

/** The text of an element in a document of a client, whatever its prefix; '' without it. */
export function textIn(xml: string, name: string): string {
  return between(xml, `${name}>`, '<');
}

function between(xml: string, before: string, after: string): string {
  const start = xml.indexOf(before);
  if (start < 0) return '';
  const text = xml.slice(start + before.length, xml.indexOf(after, start + before.length));
  return ENTITIES.reduce((read, [entity, char]) => read.replaceAll(entity, char), text);
}
