import { type Fault, invalidField } from '../errors.ts';
import { Message, message } from '../languages/message.ts';

/** Headers that an endpoint gets with every push, by their names, for example those that its gateway expects. */
export type StaticHeaders = Readonly<Record<string, string>>;
/** A change of them: null removes one, those that are not named stay. */
export type StaticHeadersChange = Readonly<Record<string, string | null>>;

export const MAX_STATIC_HEADERS = 5;
const MAX_HEADER_NAME = 64;
const MAX_HEADER_VALUE = 1024;

/** A token of RFC 9110. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** Printable ASCII; spaces and tabs only inside. */
const VALUE = /^[!-~](?:[\t -~]{0,1022}[!-~])?$/;

/** Names that the service sets itself, or that belong to the connection (RFC 9110, 7.6.1). */
const RESERVED =
  /^(?:host|user-agent|content-.*|transfer-encoding|connection|keep-alive|proxy-.*|te|trailer|upgrade|expect|date|via|signature|timestamp|webhook-.*|x-webhook-.*|traceparent|tracestate|baggage)$/i;

/** The faults of the static headers that were sent, by their names (`headers.X-Api-Key`). */
export function headerFaults(sent: Readonly<Record<string, unknown>>): Fault[] {
  const seen = new Set<string>();
  return Object.entries(sent).flatMap(([name, value]) => {
    const fault = faultOf(name, value) ?? (seen.has(name.toLowerCase()) ? message('field.header_twice') : null);
    seen.add(name.toLowerCase());
    return fault === null ? [] : [invalidField(`headers.${name}`, fault)];
  });
}

function faultOf(name: string, value: unknown): Message | null {
  if (!NAME.test(name)) return message('field.header_name', { max: MAX_HEADER_NAME });
  if (RESERVED.test(name)) return message('field.header_reserved');
  if (typeof value === 'string' && !VALUE.test(value)) return message('field.header_value', { max: MAX_HEADER_VALUE });
  return null;
}

/** The headers after a change; names are the same in any capitals. */
export function changedHeaders(headers: StaticHeaders, change: StaticHeadersChange): StaticHeaders {
  const named = new Set(Object.keys(change).map((name) => name.toLowerCase()));
  const kept = Object.entries(headers).filter(([name]) => !named.has(name.toLowerCase()));
  const set = Object.entries(change).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries([...kept, ...set]);
}

const MASK = '****';
/** Two characters would be a large part of shorter values. */
const MIN_SHOWN = 8;
const MIN_SECRET = 4;

/** Headers as they are shown: each value as its last two characters. */
export function maskedHeaders(headers: StaticHeaders): StaticHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, masked(value)]));
}

function masked(value: string): string {
  return value.length < MIN_SHOWN ? MASK : MASK + value.slice(-2);
}

/** Headers of a push as they are shown: its static ones masked. */
export function shownHeaders<T extends string | null>(
  headers: Readonly<Record<string, T>>,
  { staticHeaders }: { staticHeaders?: StaticHeaders | null },
): Record<string, T | string> {
  return staticHeaders ? { ...headers, ...maskedHeaders(staticHeaders) } : headers;
}

/**
 * The response, without the values of static headers: a receiver may repeat what it was sent, in its answer or in the
 * text of a failure. Texts in it are masked, at any depth.
 */
export function withoutValues<T>(sent: T, headers: StaticHeaders | null | undefined): T {
  if (!headers) return sent;
  // Longer ones first: one may be a part of another. The shortest are no secrets, and part of anything.
  const values = Object.values(headers)
    .filter((value) => value.length >= MIN_SECRET)
    .sort((one, other) => other.length - one.length);
  const mask = (value: unknown): unknown => {
    if (typeof value === 'string') return values.reduce((text, each) => text.replaceAll(each, masked(each)), value);
    if (Array.isArray(value)) return value.map(mask);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Message) return new Message(value.code, mask(value.values) as Message['values']);
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mask(each)]));
  };
  return mask(sent) as T;
}
