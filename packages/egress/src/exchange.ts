import type { Dispatcher } from 'undici';
import type { Connection, Line, Stage } from './connection.ts';
import { describe } from './describe.ts';
import { EXCERPT_BYTES, excerptOf } from './excerpt.ts';
import { ProxyFault, TimeIsOver, TooMuch } from './faults.ts';
import type { Sent } from './sent.ts';
import { headOf, type Trace } from './trace.ts';

/** Calls back after this many milliseconds. */
export type StartTimer = (callBack: () => void, ms: number) => NodeJS.Timeout;

/**
 * One push and its response, driven by callbacks of the HTTP client. Settles once, at the latest at the timeout,
 * in any stage: waiting for a connection, for DNS, for headers or for the last byte.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  line: Line | null = null;
  readonly #startedAt = performance.now();
  readonly #timeoutMs: number;
  readonly #resolve: (sent: Sent) => void;
  readonly #reject: (fault: Error) => void;
  readonly #timer: NodeJS.Timeout;
  #isSettled = false;
  #controller: Dispatcher.DispatchController | null = null;
  #reused = false;
  #firstByteMs: number | null = null;
  #status = 0;
  #head: string | null = null;
  #retryAfter: string | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    timeoutMs: number,
    resolve: (sent: Sent) => void,
    reject: (fault: Error) => void,
    startTimer: StartTimer,
  ) {
    this.#timeoutMs = timeoutMs;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = startTimer(() => this.fail(new TimeIsOver()), timeoutMs);
  }

  /** Before the first byte is written. A throw here keeps it from being written, and the connection open. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isSettled) throw new TimeIsOver();
    this.#controller = controller;
    const connection = this.line?.connection;
    if (!connection) return;
    this.#reused = connection.isUsed;
    connection.isUsed = true;
    connection.bytesBefore = connection.socket?.bytesRead ?? 0;
  }

  onResponseStarted(): void {
    this.#firstByteMs ??= this.#elapsed();
  }

  onResponseStart(
    { rawHeaders }: Dispatcher.DispatchController,
    status: number,
    _headers: object,
    statusText = '',
  ): void {
    // Interim answers (1xx) are not the answer; the bytes and the time of all of them are bounded.
    if (status < 200) return;
    const headers = rawHeaders as Buffer[]; // as in HTTP/1.1, the only version used here
    this.#status = status;
    this.#head = headOf(status, statusText, headers);
    this.#retryAfter = soleValue(headers, 'retry-after');
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > EXCERPT_BYTES) {
      this.onResponseEnd();
      controller.abort(new TooMuch());
    }
  }

  onResponseEnd(): void {
    if (!this.#settle()) return;
    const sent: Sent = {
      kind: 'answered',
      status: this.#status,
      durationMs: this.#elapsed(),
      excerpt: excerptOf(this.#chunks),
      retryAfter: this.#retryAfter,
      trace: this.#trace(),
    };
    // The client frees the connection in the next tick: a push that follows at once should reuse it.
    queueMicrotask(() => setImmediate(this.#resolve, sent));
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#end(error);
  }

  /** Ends it, and the connection it has. */
  fail(error: Error): void {
    this.#end(error);
    this.#controller?.abort(error);
  }

  #end(error: Error): void {
    if (!this.#settle()) return;
    const connection = this.line?.connection;
    const fault = faultOfOurs(error, this.#controller ? undefined : connection?.stage);
    if (fault) this.#reject(fault);
    else {
      const why = describe(error, connection?.stage ?? null, this.#timeoutMs);
      this.#resolve({ kind: 'no_answer', durationMs: this.#elapsed(), ...why, trace: this.#trace() });
    }
    // A connection that is still being opened is only for this exchange.
    if (!this.#controller) connection?.giveUp(error);
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clearTimeout(this.#timer);
    return true;
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  #trace(): Trace {
    const connection: Connection | null = this.line?.connection ?? null;
    return {
      address: connection?.address ?? null,
      dnsMs: this.#reused ? null : (connection?.dnsMs ?? null),
      connectMs: this.#reused ? null : (connection?.connectMs ?? null),
      tlsMs: this.#reused ? null : (connection?.tlsMs ?? null),
      firstByteMs: this.#firstByteMs,
      reused: this.#reused,
      head: this.#head,
    };
  }
}

/** Faults that the receiver cannot have caused. */
function faultOfOurs(error: Error, stage: Stage | undefined): Error | null {
  if (error instanceof ProxyFault || (error as NodeJS.ErrnoException).code === 'UND_ERR_INVALID_ARG') return error;
  return error instanceof TimeIsOver && stage === 'proxy' ? new ProxyFault('the egress proxy does not answer') : null;
}

/** A header's value; null if it is missing or sent twice. */
function soleValue(headers: readonly Buffer[], name: string): string | null {
  let value: string | null = null;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i]?.length !== name.length || headers[i]?.toString('latin1').toLowerCase() !== name) continue;
    if (value !== null) return null;
    value = headers[i + 1]?.toString('latin1') ?? null;
  }
  return value;
}
