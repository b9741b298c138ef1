import { setTimeout as delay } from 'node:timers/promises';
import { envelope, errorEnvelope } from '@pts/contract/common';
import type { Infer } from '@pts/contract/infer';
import { Ajv } from 'ajv';
import { messageOf } from '../problem.ts';
import type { Deadline } from './deadline.ts';
import { RefusedRequest, StepFailure } from './failure.ts';

/** The API as a merchant's program sees it: HTTP and nothing else. */
export type Client = {
  /** @throws StepFailure when there is no answer, or one that is an error or does not fit its schema */
  get<const S extends object>(path: string, schema: S): Promise<Infer<S>>;
  post<const S extends object>(path: string, body: object, schema: S): Promise<Infer<S>>;
};

export type ClientOptions = { baseUrl: string; apiKey: string; deadline: Deadline };

const REQUEST_TIMEOUT_MS = 20_000;
/** What a 429 asks for where it does not say (spec section 7). */
const BACK_OFF_SECONDS = 120;

const ajv = new Ajv({ strict: false });

export function createClient({ baseUrl, apiKey, deadline }: ClientOptions): Client {
  const request = async (method: string, path: string, schema: object, body?: object): Promise<unknown> => {
    const headers = { 'X-API-Key': apiKey, ...(body ? { 'Content-Type': 'application/json' } : {}) };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}), redirect: 'manual' as const };
    for (;;) {
      const response = await send(`${baseUrl}/api/v1${path}`, init);
      if (response.status !== 429) return await read(response, schema);
      await backOff(response, deadline);
    }
  };
  return {
    get: (path, schema) => request('GET', path, schema) as Promise<Infer<typeof schema>>,
    post: (path, body, schema) => request('POST', path, schema, body) as Promise<Infer<typeof schema>>,
  };
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  } catch (error) {
    throw new StepFailure(`no answer from ${url}: ${causeOf(error)}`, 'Is this the base URL, and is the service up?');
  }
}

/** fetch says only that it failed; why is in the cause, which for several addresses has a code and no text. */
function causeOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return `none within ${REQUEST_TIMEOUT_MS / 1000} s`;
  return messageOf(cause ?? error) || (cause?.code ?? 'it failed');
}

async function read(response: Response, schema: object): Promise<unknown> {
  const { status } = response;
  const text = await response.text();
  const body = parse(text);
  if (body === undefined) {
    const location = response.headers.get('location');
    const what = location ? `a redirect to ${location}` : `no JSON but: ${text.slice(0, 80).replaceAll(/\s+/g, ' ')}`;
    throw new StepFailure(`HTTP ${status}, ${what}`, 'Is this the base URL of the service, without a path?');
  }
  if (status === 200) return expectShape<{ data: unknown }>(body, envelope(schema)).data;
  const { code, message } = expectShape<Infer<typeof errorEnvelope>>(body, errorEnvelope);
  throw new RefusedRequest(code, message);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function expectShape<T>(body: unknown, schema: object): T {
  if (ajv.validate(schema, body)) return body as T;
  throw new StepFailure(
    `the answer does not fit its schema: ${ajv.errorsText(ajv.errors, { dataVar: 'body' })}`,
    'Is this the base URL of the service, and is the service of this version?',
  );
}

/** Waits as long as a 429 asks for, unless the story would be over by then. */
async function backOff(response: Response, deadline: Deadline): Promise<void> {
  const waitMs = (Number(response.headers.get('retry-after')) || BACK_OFF_SECONDS) * 1000;
  if (waitMs > deadline.leftMs()) {
    throw new StepFailure(
      `refused with 429: to be asked again in ${waitMs / 1000} s, which is after the timeout`,
      'Is something else using this API key? Give --timeout more seconds, or wait and run this again.',
    );
  }
  await delay(waitMs);
}
