import { isUtf8 } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { cleanText } from '@pts/core/tracking/outside-text';
import got, { RequestError, TimeoutError } from 'got';
import { isObject, textOf } from './json.ts';

export type HttpOutcome =
  | { kind: 'response'; status: number; headers: IncomingHttpHeaders; text: string }
  | { kind: 'no_response'; reason: 'timeout' | 'aborted' | 'too_large' | 'network'; detail: string };

export type HttpRequest = {
  /** By default POST for a request with a body, otherwise GET. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Added to the URL and encoded here. */
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** HTTP Basic authentication. */
  basic?: { user: string; password: string };
  /** The token of a Bearer authentication. */
  bearer?: string;
  /** The body: at most one of these three. */
  form?: Readonly<Record<string, string>>;
  json?: unknown;
  xml?: string;
};

/** Sends one request and returns the outcome. Never throws for network errors or errors of the other side. */
export type Send = (url: string, request: HttpRequest, signal?: AbortSignal) => Promise<HttpOutcome>;

/** No real answer for one parcel comes near this size, measured after decompression. */
const MAX_BODY_BYTES = 1024 * 1024;
/** For each further parcel of a batch: a history of 500 scans of average length. */
const FURTHER_PARCEL_BYTES = 128 * 1024;

/**
 * The HTTP client of providers: one attempt (the queue owns retries), no redirects, an answer of at most 1 MiB and 128
 * KiB more for each further parcel of a batch, and `timeoutMs` for everything from the first lookup to the last byte.
 */
export function httpClient(options: { timeoutMs: number; batchSize?: number }): Send {
  const maxBytes = MAX_BODY_BYTES + FURTHER_PARCEL_BYTES * ((options.batchSize ?? 1) - 1);
  const client = got.extend({
    retry: { limit: 0 },
    timeout: { request: options.timeoutMs },
    followRedirect: false,
    throwHttpErrors: false,
    headers: { 'user-agent': 'parcel-tracking-service/1.0' },
  });
  return async (url, request, signal) => {
    const options = optionsOf(request);
    const stream = client.stream(url, signal ? { ...options, signal } : options);
    // A DELETE may have a body, which would be awaited.
    if (options.method !== 'GET' && !('body' in options || 'json' in options || 'form' in options)) stream.end();
    let response: IncomingMessage | undefined;
    stream.once('response', (incoming: IncomingMessage) => {
      response = incoming;
    });
    // Errors after the body is complete, or after we stopped reading, are ignored.
    stream.on('error', () => {});
    try {
      const bytes = await readBounded(stream, maxBytes);
      if (bytes === null) return { kind: 'no_response', reason: 'too_large', detail: `over ${maxBytes} bytes` };
      if (!response) return { kind: 'no_response', reason: 'network', detail: 'closed without a response' };
      const { statusCode = 0, headers } = response;
      return { kind: 'response', status: statusCode, headers: cleanHeaders(headers), text: decode(bytes, headers) };
    } catch (error) {
      return noResponse(error, signal);
    } finally {
      // Until then got listens to the signal: it and all it holds would stay for as long as the caller's process runs.
      stream.destroy();
    }
  };
}

/**
 * The options for got. Keys of providers are sent unchanged: one that HTTP does not allow ends the request with an
 * error.
 */
function optionsOf({ method, query, headers, basic, bearer, form, json, xml }: HttpRequest) {
  const body =
    form !== undefined
      ? { form: { ...form } }
      : json !== undefined
        ? { json }
        : xml !== undefined
          ? { body: xml }
          : undefined;
  const authorization = basic
    ? `Basic ${Buffer.from(`${basic.user}:${basic.password}`).toString('base64')}`
    : bearer && `Bearer ${bearer}`;
  return {
    method: method ?? (body ? 'POST' : 'GET'),
    ...body,
    ...(query && { searchParams: { ...query } }),
    headers: {
      ...(xml !== undefined && { 'content-type': 'text/xml; charset=utf-8' }),
      ...(authorization && { authorization }),
      ...headers,
    },
  };
}

/** Header values are external text like any other. */
function cleanHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const entries = Object.entries(headers).map(([name, value]) => [
    cleanText(name),
    typeof value === 'string' ? cleanText(value) : value?.map(cleanText),
  ]);
  return Object.fromEntries(entries);
}

async function readBounded(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const STATED_CHARSET = /;\s*charset\s*=\s*["']?([^\s;"']+)/i;
const XML_ENCODING = /^\s*<\?xml [^>]*encoding\s*=\s*["']([^"']+)/i;

/**
 * The text of a body, without a byte order mark. Bytes that are valid UTF-8 are UTF-8, because servers state other
 * charsets for it; otherwise the charset of the header counts, then that of an XML declaration.
 */
function decode(bytes: Buffer, headers: IncomingHttpHeaders): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  const stated =
    STATED_CHARSET.exec(headers['content-type'] ?? '') ?? XML_ENCODING.exec(bytes.toString('latin1', 0, 200));
  try {
    return new TextDecoder(stated?.[1]).decode(bytes);
  } catch {
    // No runtime knows the charset.
    return new TextDecoder().decode(bytes);
  }
}

function noResponse(error: unknown, signal: AbortSignal | undefined): HttpOutcome {
  if (signal?.aborted) return { kind: 'no_response', reason: 'aborted', detail: 'aborted by the caller' };
  if (error instanceof TimeoutError) return { kind: 'no_response', reason: 'timeout', detail: error.message };
  if (error instanceof RequestError) return { kind: 'no_response', reason: 'network', detail: error.code };
  // Node's own error for a closed stream is not wrapped.
  const code = isObject(error) ? textOf(error, 'code') : '';
  if (code) return { kind: 'no_response', reason: 'network', detail: code };
  throw error;
}

/**
 * The URL of a path below the address of an API, whether or not the address ends with a slash.
 * @throws TypeError if the address is not a URL.
 */
export function urlBelow(baseUrl: string, path: string): string {
  return new URL(`${baseUrl.replace(/\/{1,99}$/, '')}/${path}`).href;
}

/** Compares a given secret or signature with the correct one in constant time. */
export function isSameText(given: string | undefined, wanted: string): boolean {
  if (given === undefined) return false;
  const [a, b] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
