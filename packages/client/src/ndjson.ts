import { NoAnswerError } from './errors.ts';
import { piecesOf } from './open-stream.ts';

/** In characters: a parcel's whole history has a few thousand. */
const LONGEST_LINE = 4_000_000;

/** The values of newline-delimited JSON, each as soon as its line is complete. @throws NoAnswerError for invalid JSON */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of piecesOf(stream)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw notTheApi(rest);
    for (const line of lines) if (line.trim() !== '') yield parse(line);
  }
  const last = jsonIn(rest);
  if (last !== undefined) yield last;
}

function parse(line: string): unknown {
  const value = jsonIn(line);
  if (value === undefined) throw notTheApi(line);
  return value;
}

/** Undefined for a line that is not JSON, such as one that was cut off. */
function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function notTheApi(line: string): NoAnswerError {
  return new NoAnswerError({
    reason: 'not_the_api',
    message: `a line of the stream is not valid JSON: ${line.slice(0, 80)}`,
  });
}
