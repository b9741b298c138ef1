import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERRORS, ServiceError } from '@pts/core/errors';
import { type Message, message } from '@pts/core/languages/message';
import type { Logger } from '@pts/runtime/logger';
import type { Express } from 'express';
import { helpAddress, helpLink } from './addresses.ts';
import { PRIVATE, V1 } from './answers.ts';
import { createMessageClasses } from './express-prototypes.ts';

/** The parser's error, with its input. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer };
type Options = {
  /** Where the portal is; without it, answers to what is not a request name its pages by their paths. */
  publicBaseUrl?: string | undefined;
  headersMs?: number;
  requestMs?: number;
  checkEveryMs?: number;
  stalledMs?: number;
};

const DEFAULT_TIMES = { headersMs: 15_000, requestMs: 600_000, checkEveryMs: 5_000, stalledMs: 120_000 };
/** Longer than common load balancers keep a connection, so that we never close one that is being reused. */
const KEEP_ALIVE_MS = 65_000;

/**
 * The API's server. Requests that the HTTP parser refuses get the same error envelope. Headers
 * must arrive within 15 seconds, a body of JSON within 30 (`createJsonReader`), and the numbers of a stream within 10
 * minutes. A connection on which nothing moves for two minutes is closed: a client that does not read its response
 * would hold it for ever.
 */
export function createApiServer(app: Express, logger: Logger, options: Options = {}): Server {
  const { headersMs, requestMs, checkEveryMs, stalledMs, publicBaseUrl = null } = { ...DEFAULT_TIMES, ...options };
  const refuse = refuser(logger, publicBaseUrl);
  const server = createServer({
    ...createMessageClasses(app),
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkEveryMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node would answer without a body; the endpoints decide whether a host is required.
    requireHostHeader: false,
  });
  server.timeout = stalledMs;
  server.on('request', app);
  // An unknown expectation is ignored; Node would refuse it without a body.
  server.on('checkExpectation', app);
  // A client that waits before sending its body gets 100 Continue when the body is about to be read.
  server.on('checkContinue', app);
  server.on('connect', (_request, socket) => refuse(socket, new ServiceError('method_not_allowed')));
  server.on('clientError', (error: ParserError, socket) => {
    const { _httpMessage: under } = socket as Duplex & { _httpMessage?: ServerResponse };
    if (error.code === 'ECONNRESET' || !socket.writable || under?.headersSent) return void socket.destroy();
    refuse(socket, toApiError(error));
  });
  return server;
}

function toApiError({ code, rawPacket }: ParserError): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ServiceError('bad_request', { text: message('head_too_large') });
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ServiceError('bad_request', { text: message('request_late') });
  const text = (rawPacket && explainUnencodedAddress(rawPacket)) ?? message('request_not_http');
  return new ServiceError('bad_request', { text });
}

function refuser(logger: Logger, baseUrl: string | null) {
  return (socket: Duplex, { error, text }: ServiceError): void => {
    const { number, http } = ERRORS[error];
    const requestId = randomUUID();
    const docs_url = helpAddress(baseUrl, number);
    const body = JSON.stringify(V1.error(number, text, [], { docs_url }));
    const head = [
      `HTTP/1.1 ${http} ${http === 405 ? 'Method Not Allowed' : 'Bad Request'}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      `Link: ${helpLink(docs_url)}`,
      ...Object.entries(PRIVATE).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
    ];
    logger.info({ requestId, status: http, errorNumber: number }, 'no request');
    socket.on('error', () => {});
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}

/** The raw request line; never the headers, which contain the key. */
const REQUEST_LINE = /(?:^|\r\n)[A-Z]+ ([^\r\n]+) HTTP\/1\.[01]\r\n/;
const MAX_SHOWN = 2000;
/** The encoding that curl sends on a Chinese Windows: a superset of GBK and GB 2312. */
const CHINESE = 'gb18030';

/**
 * The message for a request line whose URL has characters that are not percent-encoded, with the URL to send
 * instead if it can be determined; null if the URL is not the problem.
 */
export function explainUnencodedAddress(packet: Buffer): Message | null {
  const [, target] = REQUEST_LINE.exec(packet.toString('latin1')) ?? [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: characters that must not be in an address
  if (target === undefined || !/[^\x00-\x7f]| /.test(target)) return null;
  const encoded = percentEncode(Buffer.from(target, 'latin1'));
  return message('url_unencoded', { instead: encoded === null ? '' : `: ${encoded}` });
}

function percentEncode(target: Buffer): string | null {
  const utf8 = isUtf8(target) ? target : fromChinese(target);
  if (utf8 === null) return null;
  const encoded = [...utf8]
    .map((byte) => (byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : hex(byte)))
    .join('');
  return encoded.length > MAX_SHOWN ? null : encoded;
}

function fromChinese(target: Buffer): Buffer | null {
  try {
    return Buffer.from(new TextDecoder(CHINESE, { fatal: true }).decode(target));
  } catch {
    return null;
  }
}

function hex(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Lets Express find the client behind the proxies of TRUST_PROXY. @throws an Error that names the wrong range */
export function trustProxies(app: Express, proxies: string): void {
  app.set('trust proxy', /^\d+$/.test(proxies) ? Number(proxies) : proxies);
}
