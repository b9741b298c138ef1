/** Bytes of a receiver's response that are read and stored in the delivery log. */
export const EXCERPT_BYTES = 1024;

/** The first bytes of an answer as text, compressed ones as they arrived: nothing is ever decompressed. */
export function excerptOf(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  if (!first) return '';
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks);
  const text = bytes.length > EXCERPT_BYTES ? bytes.toString('utf8', 0, EXCERPT_BYTES) : bytes.toString('utf8');
  // Postgres does not accept NUL in a text.
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}
