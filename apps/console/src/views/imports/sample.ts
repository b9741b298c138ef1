import papaparse from 'papaparse';

/** The first lines of a text file. */
export type Sample = { header: string[]; rows: string[][] };

/** Up to nine of them may stand above the header. */
const ROWS = 12;
/** Blank lines may stand between them. */
const LINES = 20;
/** Long enough for a few rows. */
const START_BYTES = 256 * 1024;

/**
 * The beginning of a CSV file; null: it is something else.
 * @param encoding as the service reads it, once it has said so.
 */
export async function readSample(file: File, encoding?: string | null): Promise<Sample | null> {
  if (formatOf(file.name) !== 'csv') return null;
  return sampleOf(new Uint8Array(await file.slice(0, START_BYTES).arrayBuffer()), encoding);
}

export function sampleOf(bytes: Uint8Array, encoding?: string | null): Sample | null {
  const text = encoding ? new TextDecoder(encoding).decode(bytes) : decode(bytes);
  const { data } = papaparse.parse<string[]>(text, {
    preview: LINES,
    skipEmptyLines: 'greedy',
    delimitersToGuess: [',', ';', '\t'],
  });
  const [header, ...rows] = data;
  return header ? { header, rows: rows.slice(0, ROWS) } : null;
}

export function formatOf(name: string): 'csv' | 'ndjson' | 'xlsx' {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  if (ending === 'xlsx') return 'xlsx';
  return ['ndjson', 'jsonl'].includes(ending) ? 'ndjson' : 'csv';
}

/** Exports are in UTF-8 or, from Chinese systems, in GB18030. The last character may be cut off. */
export function decode(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  if (isUtf16) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder('gb18030').decode(bytes);
  }
}
