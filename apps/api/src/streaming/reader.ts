import type { ServerResponse } from 'node:http';

/** The client that reads a response. */
export type Reader = {
  /** Resolves once it has room for more; at once when it has gone. */
  room(): Promise<void>;
  /** Aborted when it has gone, or has read nothing for `stalledMs`. */
  gone: AbortSignal;
};

export function watchReader(response: ServerResponse, stalledMs: number): Reader {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  return {
    gone: gone.signal,
    room: async () => {
      if (!gone.signal.aborted && response.writableNeedDrain) await drained(response, gone.signal, stalledMs);
    },
  };
}

function drained(response: ServerResponse, gone: AbortSignal, stalledMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), stalledMs);
    const done = () => {
      clearTimeout(timer);
      response.off('drain', done);
      gone.removeEventListener('abort', done);
      resolve();
    };
    response.on('drain', done);
    gone.addEventListener('abort', done);
  });
}
