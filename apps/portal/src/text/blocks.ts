/** The code blocks of a page, with their fences. */
const BLOCK = /^```[^\n]*\n[\s\S]*?^```$/gm;
const EXAMPLE = /^<!-- example (\d+) -->$/gm;

/**
 * A translated page with the code blocks of its original: `<!-- example 2 -->` stands for the second one, so that code is
 * written, and tested, once.
 * @throws an Error unless the page has each block once, in order.
 */
export function withExamples(text: string, original: string, name: string): string {
  const blocks = original.match(BLOCK) ?? [];
  const named = Array.from(text.matchAll(EXAMPLE), ([, number]) => Number(number));
  if (named.length !== blocks.length || named.some((number, index) => number !== index + 1))
    throw new Error(
      `${name} must have the examples 1 to ${blocks.length} in order, as its original has; it has ${named}.`,
    );
  return text.replace(EXAMPLE, (_line, number: string) => blocks[Number(number) - 1] ?? '');
}

/** Applies a change to the text of a page, but not to its code blocks. */
export function outsideBlocks(text: string, change: (prose: string) => string): string {
  const blocks = text.match(BLOCK) ?? [];
  return text
    .split(BLOCK)
    .map((prose, index) => change(prose) + (blocks[index] ?? ''))
    .join('');
}
