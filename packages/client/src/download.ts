import { OPERATIONS, type OperationName } from './operations.ts';
import { patience, streamOf } from './patience.ts';
import { type CallOptions, type Input, urlOf, withRetries } from './request.ts';
import type { Wire } from './wire.ts';

/**
 * Reads a file in pieces, as fast as the caller takes them. It is requested again only until its first piece has arrived. Leaving
 * the loop ends the request.
 * @param file its query, and its media type.
 * @throws TrackingApiError, NoAnswerError: a file that breaks off is incomplete
 */
export async function* download(
  wire: Wire,
  name: OperationName,
  { query, type }: Pick<Input, 'query'> & { type: string },
  options: CallOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const { signal, timeoutMs = wire.timeoutMs } = options;
  const { method, limit } = OPERATIONS[name];
  const url = urlOf(wire, name, { query });
  const { reader, patiently, close } = await withRetries(wire, name, options, async () => {
    await wire.pacer.take(limit, signal);
    const ending = new AbortController();
    const close = () => ending.abort();
    const patiently = patience({ url, timeoutMs, signal, close });
    const asked = wire.fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...wire.headers, Accept: type },
      signal: signal ? AbortSignal.any([signal, ending.signal]) : ending.signal,
    });
    const learn = (response: Response | null) => wire.pacer.learn(limit, response);
    asked.then(learn, () => learn(null));
    const body = await patiently(asked.then((response) => streamOf(response, type)));
    return { reader: body.getReader(), patiently, close };
  });
  try {
    for (;;) {
      const { value, done } = await patiently(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    close();
  }
}
