import assert from 'node:assert/strict';
import { Agent, request } from 'undici';
import { atRateWhile } from '../http/accounts.ts';

// biome-ignore lint/suspicious/noExplicitAny: a trial reads whatever it expects there
type Json = any;
export type Answer = { status: number; body: Json; headers: Readonly<Record<string, unknown>>; ms: number };
type Ask = { method?: 'GET' | 'POST' | 'PATCH'; headers?: Record<string, string>; body?: object };

const agent = new Agent({ connections: 64 });

/** Makes one request, which nothing repeats. Without an answer, the status is 0. */
export async function ask(url: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Answer> {
  const startedAt = performance.now();
  try {
    const response = await request(url, {
      method,
      dispatcher: agent,
      headers: { ...headers, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.body.text();
    const { statusCode: status, headers: received } = response;
    return { status, body: parse(text), headers: received, ms: performance.now() - startedAt };
  } catch {
    return { status: 0, body: null, headers: {}, ms: performance.now() - startedAt };
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The requests of a merchant to an address. */
export function callerOf(baseUrl: string, apiKey: string) {
  return (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
    ask(`${baseUrl}/api/v1${path}`, { method, headers: { 'X-API-Key': apiKey }, ...(body ? { body } : {}) });
}
export type Caller = ReturnType<typeof callerOf>;

/** What a merchant got who called at a rate: how often each answer, and the milliseconds of those that were 200. */
export type Seen = { answers: Record<string, number>; ms: number[] };

/** What the router answers for a cell that is away. */
export const AWAY = '503: The service is temporarily unavailable. Send the request again.';
const BUSY = /^503: The service cannot reach its database/;

/** Calls at a rate for a while. */
export async function callFor(call: Caller, { perSecond, seconds }: { perSecond: number; seconds: number }) {
  const seen: Seen = { answers: {}, ms: [] };
  const total = perSecond * seconds;
  await atRateWhile(
    perSecond,
    (begun) => begun < total,
    async () => {
      const { status, body, ms } = await call('GET', '/account');
      const answer = status === 200 ? '200' : `${status}: ${body?.message ?? body}`;
      seen.answers[answer] = (seen.answers[answer] ?? 0) + 1;
      if (status === 200) seen.ms.push(ms);
    },
  );
  return seen;
}

/** The service itself answered all requests: with 503 where the machine was too busy, which is not the router's. @throws if not */
export function assertServed({ answers }: Seen): void {
  const others = Object.keys(answers).filter((answer) => answer !== '200' && !BUSY.test(answer));
  assert.deepEqual(others, []);
}

/** The percentage of requests that were not answered with 200. */
export function failedShare({ answers }: Seen): number {
  const all = Object.values(answers).reduce((sum, count) => sum + count, 0);
  return 100 * (1 - (answers['200'] ?? 0) / all);
}
