import { createHash } from 'node:crypto';
import type { FirstRequests } from '../first-requests.ts';
import { journey } from '../journeys/journey.ts';
import { nextChangeAt } from '../journeys/next-change.ts';
import { storyOf } from '../journeys/stories.ts';
import type { CallbackFault, Story } from '../journeys/story.ts';
import { postCallback } from '../post-callback.ts';
import { toKuaidi100 } from './answer.ts';

/** The exact response that a subscriber must send. */
const ACCEPTED = '{"result":true,"returnCode":"200","message":"成功"}';

/** Posts `param`, signed with the salt if one was given. @returns whether the subscriber accepted it. */
type SendCallback = (
  to: { callbackUrl: string; salt?: string },
  param: object,
  signal: AbortSignal,
) => Promise<boolean>;

const sendCallback: SendCallback = async ({ callbackUrl, salt }, content, signal) => {
  const param = JSON.stringify(content);
  const sign = salt === undefined ? {} : { sign: callbackSign(param, salt) };
  const answer = await postCallback(callbackUrl, { body: new URLSearchParams({ param, ...sign }) }, signal);
  return answer?.text === ACCEPTED;
};

/** The signature of a callback, as Kuaidi100 defines it: MD5(param + salt). */
function callbackSign(param: string, salt: string): string {
  return createHash('md5')
    .update(param + salt)
    .digest('hex')
    .toUpperCase();
}

export type SubscriptionRequest = {
  company: string;
  number: string;
  callbackUrl: string;
  salt?: string;
  phone?: string;
};

export type Kuaidi100Subscriptions = {
  /** @returns false if the number already has one. */
  add(request: SubscriptionRequest): boolean;
  /** Sends callbacks about what has become visible since the last one; for a timer. */
  tick(): Promise<void>;
  /** Aborts callbacks in flight, and starts no more. */
  close(): void;
};

export type SubscriptionDeps = { speed: number; now(): Date; state: FirstRequests; send?: SendCallback };

type Subscription = SubscriptionRequest & {
  startedAt: Date;
  /** The content of the last accepted callback. */
  accepted: string;
  notBefore: number;
  failures: number;
  isSending: boolean;
};

/** Kuaidi100 repeats a callback that was not accepted after 30 minutes, and not forever. */
const AGAIN_SECONDS = 1800;
const MAX_FAILURES = 4;
/** Beyond this many, the oldest are forgotten. */
const LIMIT = 100_000;

/** Subscriptions of Kuaidi100's wire, in memory: each has callbacks with its whole history whenever that has changed. */
export function createSubscriptions({
  speed,
  now,
  state,
  send = sendCallback,
}: SubscriptionDeps): Kuaidi100Subscriptions {
  const subscriptions = new Map<string, Subscription>();
  /** Numbers whose subscription was abandoned once: the next one lasts. */
  const aborted = new Set<string>();
  const closing = new AbortController();

  async function notify(subscription: Subscription): Promise<void> {
    const next = contentOf(subscription, now(), speed, aborted.has(subscription.number));
    subscription.notBefore = nextChangeAt(storyOf(subscription.number), subscription.startedAt, now(), speed);
    if (next === null || next.text === subscription.accepted) return;
    // The first one arrives, however late: without it, the news would not be missed.
    if (next.isLost && subscription.accepted !== '') {
      subscription.accepted = next.text;
      return;
    }
    subscription.isSending = true;
    const isAccepted = await send(subscription, next.param, closing.signal);
    subscription.isSending = false;
    if (!isAccepted) {
      subscription.failures += 1;
      subscription.notBefore = now().getTime() + (AGAIN_SECONDS * 1000) / speed;
      if (subscription.failures >= MAX_FAILURES) subscriptions.delete(subscription.number);
      return;
    }
    Object.assign(subscription, { accepted: next.text, failures: 0, company: next.company });
    if (next.status === 'abort') aborted.add(subscription.number);
    if (next.isLast) subscriptions.delete(subscription.number);
  }

  return {
    add(request) {
      if (subscriptions.has(request.number)) return false;
      const [startedAt = now()] = state.startsOf([request.number], now());
      subscriptions.set(request.number, {
        ...{ ...request, startedAt, accepted: '', notBefore: 0, failures: 0, isSending: false },
      });
      for (const number of subscriptions.keys()) {
        if (subscriptions.size <= LIMIT) break;
        subscriptions.delete(number);
      }
      return true;
    },
    async tick() {
      if (closing.signal.aborted) return;
      const at = now().getTime();
      const due = [...subscriptions.values()].filter((each) => !each.isSending && each.notBefore <= at);
      await Promise.all(due.map(notify));
    },
    close: () => closing.abort(),
  };
}

type Content = {
  param: object;
  /** What distinguishes it from the previous callback. */
  text: string;
  status: 'polling' | 'shutdown' | 'abort';
  company: string;
  isLast: boolean;
  isLost: boolean;
};

/** The callback of a number; null if there is no news. */
function contentOf(
  { number, company, phone, startedAt }: Subscription,
  now: Date,
  speed: number,
  wasAborted: boolean,
): Content | null {
  const story: Story = storyOf(number);
  if (story.manner.kind === 'given-a-phone' && !/\d{4}$/.test(phone ?? '')) return null;
  const says = journey(number, startedAt, now, speed, 'zh');
  if (says.kind !== 'found') return null;
  const fault = faultAt(story, ((now.getTime() - startedAt.getTime()) / 1000) * speed);
  const isAborted = fault?.kind === 'aborted' && !wasAborted;
  const corrected = fault?.kind === 'corrected' ? fault.company : null;
  const answer = toKuaidi100(number, corrected ?? company, says);
  if (answer.kind !== 'json') return null;
  const isSigned = says.scans.at(-1)?.status === 'delivered';
  const isCorrection = corrected !== null && corrected !== company;
  const status = isAborted || isCorrection ? 'abort' : isSigned ? 'shutdown' : 'polling';
  const correction = isCorrection ? { autoCheck: '1', comOld: company, comNew: corrected } : noCorrection;
  const message = isAborted ? '3天查询无记录' : '';
  return {
    param: { status, billstatus: 'got', message, ...correction, lastResult: answer.body },
    text: JSON.stringify([status, says.scans]),
    status: isCorrection ? 'polling' : status,
    company: corrected ?? company,
    isLast: isAborted || (isSigned && !isCorrection),
    isLost: fault?.kind === 'lost',
  };
}

const noCorrection = { autoCheck: '0', comOld: '', comNew: '' };

/** The fault of a story's callbacks at this time, in seconds of the script. */
function faultAt({ callbackFault }: Story, seconds: number): CallbackFault | undefined {
  return callbackFault !== undefined && seconds >= callbackFault.at ? callbackFault : undefined;
}
