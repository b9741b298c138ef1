import type { IncomingMessage, ServerResponse } from 'node:http';
import type { streamLine } from '@pts/contract/batch';
import type { Infer } from '@pts/contract/schema';
import { jsonIn } from '@pts/core/languages/message';
import type { Request } from 'express';
import { messageLanguage, VARY_BY_KEY } from '../http/answers.ts';
import { endUnread } from '../http/body.ts';
import type { Localized } from '../http/operation.ts';

/** A line of the response; `type` says which. */
type OutputLine = Localized<Infer<typeof streamLine>>;

/** The response of a stream; `T` is what is written at once. */
export type Output<T = OutputLine> = {
  /** Resolves once the reader has room for more; at once when it has gone. */
  write(line: T): Promise<void>;
  /** Resolves once the reader has room for more. */
  room(): Promise<void>;
  /** Writes it unless the reader is behind, because then a heartbeat is useless. */
  offer(line: T): void;
  /** Resolves once the response has ended and the remaining input was dropped. */
  end(line: T): Promise<void>;
  /** Aborted when the reader has gone, or has read nothing for too long. */
  gone: AbortSignal;
};

const LINES = 'application/x-ndjson';
const SSE = 'text/event-stream; charset=utf-8';

/** The response of a stream: one JSON object per line, or server-sent events if the client asks for them. */
export function openOutput(request: Request, response: ServerResponse, stalledMs: number): Output {
  const language = messageLanguage(request);
  const isSse = request.accepts([LINES, 'text/event-stream']) === 'text/event-stream';
  return open(request, response, {
    type: isSse ? SSE : `${LINES}; charset=utf-8`,
    stalledMs,
    format: (line) => {
      const text = jsonIn(language, line);
      return isSse ? `event: ${line.type}\ndata: ${text}\n\n` : `${text}\n`;
    },
  });
}

/** The response of a stream of server-sent events, which are written as texts. */
export function openSse(request: IncomingMessage, response: ServerResponse, stalledMs: number): Output<string> {
  return open(request, response, { type: SSE, stalledMs, format: (text) => text });
}

function open<T>(
  request: IncomingMessage,
  response: ServerResponse,
  { type, stalledMs, format }: { type: string; stalledMs: number; format(line: T): string },
): Output<T> {
  const { gone, room } = watchReader(response, stalledMs);
  response.writeHead(200, {
    'Content-Type': type,
    'Cache-Control': 'no-store, no-transform',
    Vary: `Accept, ${VARY_BY_KEY}`,
    // Proxies such as nginx would buffer the lines.
    'X-Accel-Buffering': 'no',
    // Input after the end of a stream is ignored.
    Connection: 'close',
  });
  response.flushHeaders();
  return {
    gone,
    async write(line) {
      if (!gone.aborted && !response.write(format(line))) await room();
    },
    room,
    offer(line) {
      if (!gone.aborted && !response.writableNeedDrain) response.write(format(line));
    },
    end: (line) => endUnread(request, response, format(line)),
  };
}

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
