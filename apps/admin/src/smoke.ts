import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Input } from '@pts/client/cli/kit';
import { type Client, createClient } from '@pts/client/client';
import { NoAnswerError, TrackingApiError } from '@pts/client/errors';
import type { Retry } from '@pts/client/request';
import { accountResponse, meResponse } from '@pts/contract/account';
import { deliveriesResponse } from '@pts/contract/deliveries';
import { createdTracking, getResponse } from '@pts/contract/trackings';
import { registerResponse, testResponse } from '@pts/contract/webhooks';
import { counted } from '@pts/core/terminal';
import { WHOLE_SECONDS } from '@pts/core/time';
import { CHANGE_KINDS } from '@pts/core/tracking/status';
import { messageOf } from '@pts/db/errors';
import type { Refused, Verified } from '@pts/webhook-verifier/verify';
import { Ajv } from 'ajv';
import { type Context, command, type Report } from './command.ts';
import { readTarget } from './installation.ts';
import { serve } from './receiver/serve.ts';
import { aMoment, MOMENTS, readNumber, readUrl } from './values.ts';

const SMOKE_OPTIONS = {
  'base-url': { value: 'URL', about: 'URL of the deployment (default: BASE_URL, or the service of npm start)' },
  number: { value: 'N', about: 'tracking number of a real parcel (default: a new sandbox parcel)' },
  timeout: { value: 'SECONDS', about: 'time limit for the whole run (default: 90)' },
  'receiver-host': { value: 'HOST', about: 'address to receive pushes on (default: 127.0.0.1)' },
  'receiver-port': { value: 'PORT', about: 'port to receive pushes on (default: 18999, or a free one)' },
  'receiver-url': { value: 'URL', about: 'URL at which the deployment reaches this receiver, if not host and port' },
  'no-webhook': { about: 'skip the webhook steps' },
} as const;

export const smoke = command({
  name: 'smoke',
  takes: [],
  options: SMOKE_OPTIONS,
  secrets: { 'api-key': 'API_KEY' },
  about:
    'Test a deployment as a client would, from registering a parcel to receiving its signed pushes. Uses BASE_URL and' +
    ' API_KEY, or the service of npm start.',
  async run(context, input) {
    const { number, ...options } = readSmokeOptions(context, input);
    const parcel = { number: number ?? freshNumber(), isFresh: number === null };
    context.out(`Testing ${options.baseUrl} with ${parcel.number}`);
    return await runSmoke({ ...options, parcel, pollMs: 2000, graceMs: 10_000, out: context.out });
  },
});

/**
 * The default port of the receiver. Always the same: an account has few webhooks, and a known URL does not add another
 * one but gets a new secret.
 */
const RECEIVER_PORT = 18_999;

type SmokeOptions = {
  baseUrl: string;
  apiKey: string;
  number: string | null;
  timeoutSeconds: number;
  receiver: ReceiverOptions | null;
};

type Given = Input<[], typeof SMOKE_OPTIONS>;

/** @throws UsageError */
export function readSmokeOptions(context: Pick<Context, 'env' | 'root'>, given: Given): SmokeOptions {
  return {
    ...readTarget(context, given),
    number: given.number ?? null,
    timeoutSeconds: readNumber('timeout', given.timeout, 90, { min: 1, max: 86_400 }),
    receiver: given['no-webhook']
      ? null
      : {
          host: given['receiver-host'] ?? '127.0.0.1',
          port: readNumber('receiver-port', given['receiver-port'], RECEIVER_PORT, { min: 0, max: 65_535 }),
          url: given['receiver-url'] === undefined ? null : readUrl('--receiver-url', given['receiver-url']),
        },
  };
}

/** A new parcel of the sandbox carrier, delivered after 20 seconds. */
function freshNumber(): string {
  return `SBXEXPRESS${Array.from({ length: 14 }, () => randomInt(10)).join('')}`;
}

type SmokeRun = Omit<SmokeOptions, 'number'> & { parcel: Parcel } & Pick<StoryDeps, 'pollMs' | 'graceMs' | 'out'>;

/** Runs the steps against a deployment until the end or the first failure. */
export async function runSmoke({ parcel, pollMs, graceMs, out, ...options }: SmokeRun): Promise<Report> {
  const { baseUrl, apiKey } = options;
  const startedAt = performance.now();
  const deadline = deadlineIn(options.timeoutSeconds * 1000);
  const steps = createSteps(out);
  const receiver = options.receiver && (await startReceiver(options.receiver));
  try {
    const client = createSmokeClient({ baseUrl, apiKey, deadline });
    await runStory({ client, receiver, deadline, pollMs, graceMs, out }, parcel, steps.run);
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
  } finally {
    await receiver?.close();
  }
  return reportOf(steps.reports, { baseUrl, number: parcel.number, ms: Math.round(performance.now() - startedAt) });
}

function reportOf(steps: readonly StepReport[], about: { baseUrl: string; number: string; ms: number }): Report {
  const failed = steps.find(({ ok }) => !ok);
  const { baseUrl, number, ms } = about;
  return {
    lines: [failed ? `Failed at: ${failed.name}` : `All ${steps.length} steps passed in ${seconds(ms)}`],
    json: { ok: !failed, base_url: baseUrl, number, ms, steps },
    failed: failed !== undefined,
  };
}

type Parcel = {
  /** A number of the caller's own may have been registered before. */
  number: string;
  isFresh: boolean;
};

type StoryDeps = {
  client: Client;
  /** Null: skips the webhook steps. */
  receiver: Receiver | null;
  deadline: Deadline;
  /** The polling interval; the endpoint allows two requests per second. */
  pollMs: number;
  /** Extra time for pushes and log entries if the parcel was delivered just before the deadline. */
  graceMs: number;
  out(line: string): void;
};

type Subscription = { receiver: Receiver; webhook: Webhook };

/** The steps of a merchant, from checking the account to the delivered parcel. */
async function runStory(deps: StoryDeps, parcel: Parcel, step: RunStep): Promise<void> {
  const { receiver } = deps;
  await step('API key', () => whoAmI(deps));
  const webhook = receiver && (await step('webhook registered', () => registerReceiver(deps, receiver)));
  try {
    await followOne(deps, parcel, step, receiver && webhook && { receiver, webhook });
  } finally {
    if (webhook) await removeReceiver(deps, webhook);
  }
}

async function followOne(
  deps: StoryDeps,
  parcel: Parcel,
  step: RunStep,
  subscription: Subscription | null,
): Promise<void> {
  if (subscription) await step('signed ping', () => ping(deps, subscription.receiver, subscription.webhook));
  const created = await step('parcel registered', () => createParcel(deps, parcel));
  await step('parcel delivered', () => followParcel(deps, created));
  if (subscription) {
    const pushes = await step('signed pushes', () => awaitPushes(deps, subscription.receiver, created));
    await step('delivery log', () => checkDeliveryLog(deps, subscription.webhook, pushes));
  }
  await step('quota', () => checkQuota(deps, created));
}

/** GET /auth/me: the key belongs to an account. */
async function whoAmI({ client }: Pick<StoryDeps, 'client'>): Promise<Held<void>> {
  try {
    const { account_id, name, plan } = await expectAnswer(client.auth.me(), meResponse);
    return { value: undefined, said: `account ${name} (${account_id}), plan ${plan}` };
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.code !== 401) throw error;
    throw new StepFailure(
      error.message,
      'Set API_KEY to an active key of this deployment. To create one, run `keys create`.',
    );
  }
}

type Webhook = { id: string };

/** The error number of an invalid field, here the URL. */
const INVALID_FIELD = 4130;

/** POST /webhooks: registers our receiver for all events. If it is already registered, its secret changes. */
async function registerReceiver({ client }: Pick<StoryDeps, 'client'>, receiver: Receiver): Promise<Held<Webhook>> {
  try {
    const { id, url, secret } = await expectAnswer(
      client.webhooks.register({ url: receiver.url, events: CHANGE_KINDS }),
      registerResponse,
    );
    receiver.trust(secret);
    return { value: { id }, said: `at ${url}, for all events` };
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.code !== INVALID_FIELD) throw error;
    throw new StepFailure(
      error.message,
      'If the deployment rejects private receivers, as it should in production, set --receiver-url to a public https URL that leads to --receiver-port of this machine, or skip webhooks with --no-webhook.',
    );
  }
}

/** POST /webhooks/test: a ping reaches our receiver with a valid signature. */
async function ping({ client }: Pick<StoryDeps, 'client'>, receiver: Receiver, { id }: Webhook): Promise<Held<void>> {
  const { reachable, http_status, response_ms } = await expectAnswer(client.webhooks.test(id), testResponse);
  if (!reachable) {
    throw new StepFailure(
      `the service cannot reach ${receiver.url}`,
      'The service may reach this machine at another address. See --receiver-host and --receiver-url.',
    );
  }
  const push = receiver.pushes.find(({ body }) => body.event === 'ping' && body.data?.webhook_id === id);
  if (!push) throw new StepFailure(`another receiver responded to the ping, with ${http_status}`);
  if (!push.verdict.ok) throw new StepFailure(`the ping does not verify: ${push.verdict.message}`);
  if (http_status !== 200) throw new StepFailure(`our response 200 was reported as ${http_status}`);
  return { value: undefined, said: `verified, response within ${response_ms} ms` };
}

/** The error numbers of a carrier that cannot be detected or has no provider. */
const NO_CARRIER = 4121;

type Created = {
  id: string;
  number: string;
  isFresh: boolean;
  /** Units used before it was registered. */
  usedBefore: number;
};

/** POST /trackings/create: registers a number, and records the quota used before. */
async function createParcel(
  { client }: Pick<StoryDeps, 'client'>,
  { number, isFresh }: Parcel,
): Promise<Held<Created>> {
  const { quota_used: usedBefore } = await expectAnswer(client.account.get(), accountResponse);
  try {
    const created = await expectAnswer(client.trackings.create(number), createdTracking);
    return {
      value: { id: created.id, number: created.tracking_number, isFresh, usedBefore },
      said: `${created.tracking_number} of ${created.carrier}, ${created.status}`,
    };
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.code !== NO_CARRIER || !isFresh) throw error;
    throw new StepFailure(
      error.message,
      'This deployment has no sandbox carrier. Set --number to a parcel in transit with a carrier that it serves.',
    );
  }
}

const DELIVERED = '已签收';

/** GET /trackings/get until the parcel is delivered; reports each new status. */
async function followParcel(
  { client, deadline, pollMs, out }: Pick<StoryDeps, 'client' | 'deadline' | 'pollMs' | 'out'>,
  { id, number }: Created,
): Promise<Held<void>> {
  const startedAt = performance.now();
  const seen: string[] = [];
  let scans = 0;
  const look = async () => {
    const { success } = await expectAnswer(client.trackings.get(number), getResponse);
    const tracking = success.find((one) => one.id === id);
    if (!tracking) throw new StepFailure(`the response does not contain ${id}`);
    scans = tracking.events.length;
    if (tracking.status !== seen.at(-1)) {
      seen.push(tracking.status);
      out(`  ${seconds(performance.now() - startedAt).padStart(34)}  ${tracking.status}`);
    }
    return tracking.status === DELIVERED ? true : null;
  };
  if (await poll(look, pollMs, deadline))
    return { value: undefined, said: `${seen.join(' → ')}, ${counted(scans, 'scan')}` };
  throw tooLate(seen.at(-1), scans);
}

function tooLate(status: string | undefined, scans: number): StepFailure {
  const hint =
    scans === 0
      ? 'No scan has arrived yet. Is the carrier poller running? In production, it checks carriers every 5 minutes, so increase --timeout.'
      : 'In production, checks are 5 minutes apart, so increase --timeout.';
  return new StepFailure(`still ${status} at the timeout, with ${counted(scans, 'scan')}`, hint);
}

const EXPECTED = ['tracking_update', 'tracking_delivered'];

const LOOK_MS = 50;

/** Waits for the parcel's pushes; those of other parcels are ignored. */
async function awaitPushes(
  { deadline, graceMs }: Pick<StoryDeps, 'deadline' | 'graceMs'>,
  receiver: Receiver,
  { id, isFresh }: Created,
): Promise<Held<Push[]>> {
  const ours = () => receiver.pushes.filter(({ body }) => body.data?.id === id);
  const missing = () =>
    EXPECTED.filter((event) => !ours().some(({ verdict }) => verdict.ok && verdict.event === event));
  await poll(
    async () => (missing().length === 0 || refusalIn(ours()) ? true : null),
    LOOK_MS,
    deadline.atLeast(graceMs),
  );
  const refusal = refusalIn(ours());
  if (refusal) throw new StepFailure(`a push does not verify: ${refusal}`);
  if (missing().length > 0) {
    throw new StepFailure(
      `${missing().join(' and ')} did not arrive`,
      isFresh
        ? 'Is the webhook dispatcher running? GET /api/v1/webhooks/deliveries lists the attempts.'
        : 'A parcel that was already delivered causes no new pushes. Omit --number, or use another one.',
    );
  }
  return { value: ours(), said: `${ours().length} verified: ${countsOf(ours())}` };
}

function refusalIn(pushes: readonly Push[]): string | null {
  const refused = pushes.find(({ verdict }) => !verdict.ok)?.verdict;
  return refused && !refused.ok ? refused.message : null;
}

/** `4 tracking_update, 1 tracking_delivered` */
function countsOf(pushes: readonly Push[]): string {
  const counts = new Map<string, number>();
  for (const { body } of pushes) counts.set(body.event ?? '', (counts.get(body.event ?? '') ?? 0) + 1);
  return [...counts].map(([event, count]) => `${count} ${event}`).join(', ');
}

/**
 * GET /webhooks/deliveries lists every push that we answered with 200, after a short delay, because records are
 * batched.
 */
async function checkDeliveryLog(
  { client, pollMs, graceMs }: Pick<StoryDeps, 'client' | 'pollMs' | 'graceMs'>,
  webhook: Webhook,
  pushes: readonly Push[],
): Promise<Held<void>> {
  const pending = new Set(pushes.map(({ verdict }) => (verdict.ok ? verdict.messageId : null)));
  const look = async () => {
    const { items } = await expectAnswer(client.webhooks.deliveries(), deliveriesResponse);
    for (const { webhook_id, message_id, status_code } of items)
      if (webhook_id === webhook.id && status_code === 200) pending.delete(message_id);
    return pending.size === 0 ? true : null;
  };
  if (await poll(look, pollMs, deadlineIn(graceMs)))
    return { value: undefined, said: `all ${pushes.length} pushes listed with 200` };
  throw new StepFailure(`${pending.size} of ${pushes.length} accepted pushes are missing`);
}

/**
 * GET /account: the parcel was charged. Others may use the account at the same time, so more than one unit may be used.
 */
async function checkQuota(
  { client }: Pick<StoryDeps, 'client'>,
  { usedBefore, isFresh }: Created,
): Promise<Held<void>> {
  const { quota_used, quota_limit } = await expectAnswer(client.account.get(), accountResponse);
  // A number that was registered before is not charged again.
  if (isFresh && quota_used <= usedBefore)
    throw new StepFailure(`${counted(quota_used, 'unit')} used, the same as before the parcel was registered`);
  return { value: undefined, said: `${quota_used} of ${counted(quota_limit, 'unit')} used, ${usedBefore} before` };
}

/** DELETE /webhooks/{id}: cleans up. Not a step, so that it does not hide the result of the run. */
async function removeReceiver({ client, out }: Pick<StoryDeps, 'client' | 'out'>, { id }: Webhook): Promise<void> {
  try {
    await client.webhooks.delete(id);
  } catch (error) {
    out(`  The webhook ${id} could not be deleted and is still registered: ${messageOf(error)}`);
  }
}

/** The result of one step. */
export type StepReport = { name: string; ok: boolean; ms: number; said: string; hint?: string };

/** The value of a step for later steps, and its report. */
type Held<T> = { value: T; said: string };

/** Runs one step, reports it, and returns its value. @throws the error of the step, after reporting it */
type RunStep = <T>(name: string, work: () => Promise<Held<T>>) => Promise<T>;

/** Runs steps one after the other and prints a line after each. */
function createSteps(out: (line: string) => void): { run: RunStep; reports: StepReport[] } {
  const reports: StepReport[] = [];
  const report = (step: StepReport) => {
    reports.push(step);
    for (const line of linesOf(step)) out(line);
  };
  const run: RunStep = async (name, work) => {
    const startedAt = performance.now();
    const ms = () => Math.round(performance.now() - startedAt);
    try {
      const { value, said } = await work();
      report({ name, ok: true, ms: ms(), said });
      return value;
    } catch (error) {
      const hint = error instanceof StepFailure ? error.hint : undefined;
      const said = messageOf(error);
      report({ name, ok: false, ms: ms(), said, ...(hint === undefined ? {} : { hint }) });
      throw error;
    }
  };
  return { run, reports };
}

function linesOf({ name, ok, ms, said, hint }: StepReport): string[] {
  const line = `${ok ? '✓' : '✗'} ${name.padEnd(24)} ${seconds(ms).padStart(7)}  ${said}`;
  return hint === undefined ? [line] : [line, `  ${hint}`];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 1000 ? 3 : 1)} s`;
}

/** A failed step: what happened and, if known, what to do. */
class StepFailure extends Error {
  override readonly name: string = 'StepFailure';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** The service answered with an error (spec section 7). */
class RefusedRequest extends StepFailure {
  override readonly name = 'RefusedRequest';
  readonly code: number;

  constructor(code: number, message: string) {
    super(`rejected with ${code}: ${message}`);
    this.code = code;
  }
}

/** The time limit of the whole run. */
type Deadline = {
  leftMs(): number;
  /** Extends the deadline if less than `ms` is left, so that the last step can finish. */
  atLeast(ms: number): Deadline;
};

export function deadlineIn(ms: number): Deadline {
  const end = performance.now() + ms;
  const leftMs = () => Math.max(0, end - performance.now());
  return { leftMs, atLeast: (min) => deadlineIn(Math.max(min, leftMs())) };
}

/** Polls every `everyMs` until `look` finds something. @returns null if the deadline passes first */
async function poll<T>(look: () => Promise<T | null>, everyMs: number, deadline: Deadline): Promise<T | null> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (deadline.leftMs() === 0) return null;
    await delay(Math.min(everyMs, deadline.leftMs()));
  }
}

type SmokeClientOptions = {
  baseUrl: string;
  apiKey: string;
  deadline: Deadline;
  /** The wait of the first retries. */
  moment?(): Promise<void>;
};

const REQUEST_TIMEOUT_MS = 20_000;

/** The default wait after a 429 (spec section 7). */
const BACK_OFF_SECONDS = 120;

const ajv = new Ajv({ strict: false, formats: { 'date-time': WHOLE_SECONDS } });

/**
 * The public client. After a 429 it waits a moment, because `npm run receiver` may have used up the limit of this
 * second, then as long as it says while there is time; any other failure fails the step.
 */
export function createSmokeClient({ baseUrl, apiKey, deadline, moment = aMoment }: SmokeClientOptions): Client {
  let isMoment = false;
  const onRetry = ({ error, retries, delayMs }: Retry) => {
    const { status, retryAfterSeconds } = error;
    if (status !== 429) throw error;
    isMoment = retries < MOMENTS;
    if (isMoment || delayMs <= deadline.leftMs()) return;
    throw new StepFailure(
      `rejected with 429; the next try would be in ${retryAfterSeconds ?? BACK_OFF_SECONDS} s, after the timeout`,
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

/** A verified push and the parts of its body that identify it. */
type Push = {
  verdict: Verified | Refused;
  body: { event?: string; data?: { id?: string; webhook_id?: string } };
};

export type ReceiverOptions = {
  /** Address to listen on. */
  host: string;
  /** Use any free port if this one is in use. */
  port: number;
  /** The URL under which the service reaches us, if it differs. */
  url: string | null;
};

export type Receiver = {
  url: string;
  /** In the order of arrival. */
  pushes: readonly Push[];
  /** Sets the secret. Until then, pushes are refused so that they are retried. */
  trust(secret: string): void;
  close(): Promise<void>;
};

/** A merchant's receiver, as `npm run receiver`, which keeps what arrives. */
export async function startReceiver({ host, port, url }: ReceiverOptions): Promise<Receiver> {
  const pushes: Push[] = [];
  const receiver = await serve({
    ...{ host, port, orAnyPort: true, flags: '--receiver-', now: () => new Date() },
    faults: { answer: null, delaySeconds: 0, first: null },
    listener: {
      // It is JSON of any form; only the fields of the service's own pushes are compared.
      arrived: ({ verdict, body }) => verdict && pushes.push({ verdict, body: (body ?? {}) as Push['body'] }),
      gaveUp: () => {},
      stray: () => {},
    },
  });
  return {
    url: url ?? `http://${host.includes(':') ? `[${host}]` : host}:${receiver.port}/smoke`,
    pushes,
    trust: (secret) => receiver.trust([secret]),
    close: receiver.close,
  };
}
