import { NoAnswerError } from './errors.ts';
import { piecesOf } from './open-stream.ts';

/** A server-sent event: its name, its data, and the last id that the stream has named. */
export type ServerSentEvent = { event: string; data: string; id: string };

/** In characters: a parcel's whole history has a few thousand. */
const LONGEST_LINE = 4_000_000;

/**
 * The events of a stream as they arrive. A block without data, such as a heartbeat, yields an event with empty data: it may
 * have an id, and shows that the stream is alive.
 * @throws NoAnswerError for a line that does not end.
 */
export async function* readServerSentEvents(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let id = '';
  let event = '';
  let data: string[] = [];
  for await (const chunk of piecesOf(stream)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE)
      throw new NoAnswerError({
        reason: 'not_the_api',
        message: `a line of the stream is too long: ${rest.slice(0, 80)}`,
      });
    for (const line of lines) {
      const [name, value] = fieldOf(line.replace(/\r$/, ''));
      if (name === 'id') id = value;
      else if (name === 'event') event = value;
      else if (name === 'data') data.push(value);
      else if (name === '' && value === '') {
        yield { event, data: data.join('\n'), id };
        event = '';
        data = [];
      }
    }
  }
}

/** `name: value`; a comment has an empty name. */
function fieldOf(line: string): [name: string, value: string] {
  const at = line.indexOf(':');
  if (at < 0) return [line, ''];
  return [at === 0 ? ':' : line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
}
