const BREAK = /<br ?\/?>/gi;
const TAG = /<\/?[a-z][^<>]{0,300}>/gi;
const ENTITY = /&(nbsp|amp|lt|gt|quot|apos|#39);/g;
const ENTITIES: Readonly<Record<string, string>> = {
  nbsp: ' ',
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
};

/** A text that a carrier wrote for its own web page, without the HTML. */
export function plainText(text: string): string {
  const untagged = text.replace(BREAK, ' ').replace(TAG, '');
  return untagged.replace(ENTITY, (_, name: string) => ENTITIES[name] ?? '');
}
