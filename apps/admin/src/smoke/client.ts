import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '@pts/client/client';
import { NoAnswerError, TrackingApiError } from '@pts/client/errors';
import type { Retry } from '@pts/client/wire';
import { Ajv } from 'ajv';
import { aMoment, MOMENTS } from '../command-line/moments.ts';
import type { Deadline } from './deadline.ts';
import { RefusedRequest, StepFailure } from './failure.ts';

export type SmokeClientOptions = {
  baseUrl: string;
  apiKey: string;
  deadline: Deadline;
  /** The wait of the first retries. */
  moment?(): Promise<void>;
};

const REQUEST_TIMEOUT_MS = 20_000;
/** The default wait after a 429 (spec section 7). */
const BACK_OFF_SECONDS = 120;

const ajv = new Ajv({ strict: false, formats: { 'date-time': true } });

/**
 * The public client. After a 429 it waits a moment, because `npm run receiver` may have used up the limit of this second, then as
 * long as it says while there is time; any other failure fails the step.
 */
export function createSmokeClient({ baseUrl, apiKey, deadline, moment = aMoment }: SmokeClientOptions): Client {
  let isMoment = false;
  const onRetry = ({ error, retries, delayMs }: Retry) => {
    const { status, retryAfterSeconds } = error;
    if (status !== 429) throw error;
    isMoment = retries < MOMENTS;
    if (isMoment || delayMs <= deadline.leftMs()) return;
    throw new StepFailure(
      `refused with 429: the next try would be in ${retryAfterSeconds ?? BACK_OFF_SECONDS} s, after the timeout`,
      'Does another program use this API key? Increase --timeout, or wait and try again.',
    );
  };
  const sleep = (ms: number, signal: AbortSignal | undefined) =>
    isMoment ? moment() : delay(ms, undefined, { signal });
  const maxRetries = Number.POSITIVE_INFINITY;
  const userAgent = 'pts-smoke';
  return createClient({ baseUrl, apiKey, timeoutMs: REQUEST_TIMEOUT_MS, maxRetries, onRetry, sleep, userAgent });
}

/** Checks a response against its schema. @throws StepFailure if there is none, or it is an error or does not match */
export async function expectAnswer<T>(answer: Promise<T>, schema: object): Promise<T> {
  const data = await answer.catch((error: unknown) => {
    throw toFailure(error);
  });
  if (ajv.validate(schema, data)) return data;
  throw new StepFailure(
    `the response does not match its schema: ${ajv.errorsText(ajv.errors, { dataVar: 'body/data' })}`,
    'Is this the base URL of the service, and does the service have this version?',
  );
}

function toFailure(error: unknown): unknown {
  if (error instanceof TrackingApiError) return new RefusedRequest(error.code, error.message);
  if (!(error instanceof NoAnswerError)) return error;
  const hint =
    error.reason === 'not_the_api'
      ? 'Is this the base URL of the service, without a path?'
      : 'Is the base URL right, and is the service running?';
  return new StepFailure(error.message, hint);
}
