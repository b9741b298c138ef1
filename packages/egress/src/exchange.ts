import { getSystemErrorMap } from 'node:util';
import { type Message, type MessageCode, message } from '@pts/core/languages/message';
import type { Dispatcher } from 'undici';
import { type Connection, type ConnectionLine, ProxyFault, type Stage, TimeIsOver, TooMuch } from './connect.ts';

/** Calls back after this many milliseconds. */
export type StartTimer = (callBack: () => void, ms: number) => NodeJS.Timeout;

/**
 * One push and its response, driven by callbacks of the HTTP client. Settles once, at the latest at the timeout,
 * in any stage: waiting for a connection, for DNS, for headers or for the last byte.
 */
export class PushExchange implements Dispatcher.DispatchHandler {
  line: ConnectionLine | null = null;
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

/** The outcome of a push. Every outcome is a value: a throw is an internal error. */
export type Sent =
  | { kind: 'answered'; status: number; durationMs: number; excerpt: string; retryAfter: string | null; trace: Trace }
  | ({ kind: 'no_answer'; durationMs: number; trace: Trace } & NoAnswer);

/** Why there was no response: `reason` for the owner of the receiver, `detail` for the operator's log. */
type NoAnswer = {
  cause: Cause;
  reason: Message;
  /** The part that `reason` leaves out as it names addresses inside the network; null if there is no more to say. */
  detail: string | null;
};

/** The kind of reason. */
export type Cause = 'timeout' | 'blocked' | 'refused' | 'dns' | 'tls' | 'connection';

/**
 * Why there was no response. The delivery log shows `reason`, which begins with the cause; the causes are stable. The
 * messages of the system name addresses of our network, and those of TLS the names in a certificate: both are details.
 */
export function describe(error: unknown, stage: Stage | null, timeoutMs: number): NoAnswer {
  const fault = error as Fault;
  const [cause, reason] = whyNot(fault, stage, timeoutMs);
  const detail = fault.message || fault.code || null;
  return { cause, reason, detail: detail !== null && `${reason}`.endsWith(`: ${detail}`) ? null : detail };
}

type Fault = { name?: string; message?: string; code?: string; syscall?: string };

/** A name that does not resolve and one inside our network have one text: which it is concerns only the operator. */
function whyNot(fault: Fault, stage: Stage | null, timeoutMs: number): [Cause, Message] {
  const { name, code, syscall } = fault;
  if (name === 'TimeIsOver') return ['timeout', message('no_answer.timeout', { seconds: timeoutMs / 1000 })];
  if (name === 'RefusedAddress') return ['dns', message('no_answer.dns')];
  if (name === 'BehindProxy') return ['connection', message('no_answer.unreachable')];
  if (code === 'ECONNREFUSED') return ['refused', message('no_answer.refused')];
  const isOwn = code?.startsWith('UND_ERR_');
  if (stage === 'dns' && !isOwn) return ['dns', message('no_answer.dns')];
  if (stage === 'tls' && !isOwn) return ['tls', tlsFault(code)];
  // Without a system call, it is the HTTP client's: about the response, in fixed words.
  const text = syscall === undefined ? fault.message : SYSTEM_FAULTS.get(code ?? '');
  return [
    'connection',
    text ? message('no_answer.connection', { text: COMMON.get(text) ?? text }) : message('no_answer.failed'),
  ];
}

/** The system's words for its errors, without the addresses: `host is unreachable`. */
const SYSTEM_FAULTS = new Map([...getSystemErrorMap().values()]);
/** The faults that receivers cause. */
const COMMON = new Map(
  (['connection.reset', 'connection.no_host', 'connection.no_network', 'connection.closed'] as const).map((code) => {
    const text = message(code);
    return [text.in('en'), text];
  }),
);

/** OpenSSL's own messages name its source files; these are the errors that merchants see. */
const TLS_FAULTS: Record<string, MessageCode & `tls.${string}`> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls.not_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls.not_tls',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'tls.too_old',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'tls.too_old',
  ECONNRESET: 'tls.closed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls.other_name',
  CERT_HAS_EXPIRED: 'tls.expired',
  CERT_NOT_YET_VALID: 'tls.not_yet_valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls.self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls.self_signed_in_chain',
  UNABLE_TO_GET_ISSUER_CERT: 'tls.unknown_issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls.unknown_issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls.no_intermediate',
};

function tlsFault(code = ''): Message {
  return message(TLS_FAULTS[code] ?? (code === '' ? 'tls.failed' : 'tls.failed_with'), { code });
}

/** Bytes of a receiver's response that are read and stored in the delivery log. */
export const EXCERPT_BYTES = 1024;

/** The first bytes of an answer as text, compressed ones as they arrived: nothing is ever decompressed. */
function excerptOf(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  if (!first) return '';
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks);
  const text = bytes.length > EXCERPT_BYTES ? bytes.toString('utf8', 0, EXCERPT_BYTES) : bytes.toString('utf8');
  // Postgres does not accept NUL in a text.
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

/** The connection details of an attempt, for the delivery log. */
export type Trace = {
  /** The address of the connection; null if there was none. */
  address: string | null;
  /**
   * The steps of opening the connection: null for steps that did not happen, and for all if a connection was reused.
   */
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the start of the attempt to the first byte of the answer. */
  firstByteMs: number | null;
  /** Whether an open connection was used. */
  reused: boolean;
  /** Status line and headers of the answer, at most 2 KiB, without control characters. */
  head: string | null;
};

export const HEAD_BYTES = 2048;

export const NO_TRACE: Trace = {
  address: null,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
  reused: false,
  head: null,
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed here
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** The status line and headers of a response as text; `headers` alternates names and values, as received. */
export function headOf(status: number, statusText: string, headers: readonly Buffer[]): string {
  let text = clean(`HTTP/1.1 ${status} ${statusText}`.trimEnd());
  for (let i = 0; i + 1 < headers.length && text.length < HEAD_BYTES; i += 2)
    text += `\n${clean(`${headers[i]}: ${headers[i + 1]}`)}`;
  return cut(text, HEAD_BYTES);
}

function clean(line: string): string {
  return line.replace(CONTROL, '');
}

/** The first bytes of a text, at most this many; a character that would be cut in two is left out. */
function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
}
