const EXAMPLE = /^<!-- example (\d{1,3}) -->$/gm;

/** A page in pieces: its code blocks, with their fences, and what is around them. */
function pieces(text: string): { isCode: boolean; text: string }[] {
  const found: { isCode: boolean; lines: string[] }[] = [{ isCode: false, lines: [] }];
  for (const line of text.split('\n')) {
    const isFence = line.startsWith('```');
    const isInside = found.at(-1)?.isCode === true;
    if (isFence && !isInside) found.push({ isCode: true, lines: [] });
    found.at(-1)?.lines.push(line);
    if (isFence && isInside) found.push({ isCode: false, lines: [] });
  }
  return found.map(({ isCode, lines }) => ({ isCode, text: lines.join('\n') }));
}

/**
 * A translated page with the code blocks of its original: `<!-- example 2 -->` stands for the second one, so that code is
 * written, and tested, once.
 * @throws an Error unless the page has each block once, in order.
 */
export function withExamples(text: string, original: string, name: string): string {
  const blocks = pieces(original).filter(({ isCode }) => isCode);
  const named = Array.from(text.matchAll(EXAMPLE), ([, number]) => Number(number));
  if (named.length !== blocks.length || named.some((number, index) => number !== index + 1))
    throw new Error(
      `${name} must have the examples 1 to ${blocks.length} in order, as its original has; it has ${named}.`,
    );
  return text.replace(EXAMPLE, (_line, number: string) => blocks[Number(number) - 1]?.text ?? '');
}

/** Applies a change to the text of a page, but not to its code blocks. */
export function outsideBlocks(text: string, change: (prose: string) => string): string {
  return pieces(text)
    .map((piece) => (piece.isCode ? piece.text : change(piece.text)))
    .join('\n');
}
