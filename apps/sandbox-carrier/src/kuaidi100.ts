import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { type Ask, type CarrierQuestion, isNumber, isRecord } from './carrier.ts';
import type { FirstRequests } from './first-requests.ts';
import { postCallback, untilGone } from './http.ts';
import { type JourneyScan, journey, nextChangeAt, type Says } from './journey.ts';
import { storyOf } from './stories.ts';
import { type CallbackFault, hash, type SandboxFailure, type Story } from './story.ts';

export type Kuaidi100Account = { customer: string; key: string };

/** `POST /kuaidi100/poll/query.do`: one number per call, form-encoded and signed; every answer is an HTTP 200. */
export function kuaidi100(ask: Ask, account: Kuaidi100Account): RequestHandler {
  return async (req, res) => {
    const form: Record<string, unknown> = isRecord(req.body) ? req.body : {};
    const answer = await reply(form, account, (question) => ask([question], untilGone(res), 'zh'));
    if (answer.kind === 'json') res.json(answer.body);
    else res.type('html').send(answer.body);
  };
}

async function reply(
  form: Record<string, unknown>,
  account: Kuaidi100Account,
  ask: (question: CarrierQuestion) => ReturnType<Ask>,
): Promise<Kuaidi100Answer> {
  const { customer, param, sign } = form;
  if (typeof param !== 'string') return refusal('400', '缺少 param 参数');
  if (customer !== account.customer || sign !== kuaidi100Sign(param, account)) return refusal('503', '签名校验未通过');
  const question = parseParam(param);
  if (!question) return refusal('400', 'param 参数有误，需要 com 与 num');
  const [says] = await ask(question);
  return says ? toKuaidi100(question.number, question.com, says) : refusal('501', '服务器内部错误');
}

/** The signature of a `param` string, as Kuaidi100 defines it: MD5(param + key + customer). */
export function kuaidi100Sign(param: string, { customer, key }: Kuaidi100Account): string {
  return md5(param + key + customer);
}

/** In hexadecimal, in upper case. */
function md5(text: string): string {
  return createHash('md5').update(text).digest('hex').toUpperCase();
}

function parseParam(param: string): (CarrierQuestion & { com: string }) | null {
  const { com, num, phone } = parseObject(param);
  if (typeof com !== 'string' || com === '' || !isNumber(num)) return null;
  return { com, number: num, carrier: com, ...(typeof phone === 'string' && { phone }) };
}

/** An object in JSON; an empty one for anything else. */
function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

type PollReply = { result: boolean; returnCode: string; message: string };

const refusedPoll = (returnCode: string, message: string): PollReply => ({ result: false, returnCode, message });

/**
 * `POST /kuaidi100/poll`: subscribes to one number, form-encoded with the key in `param`; every answer is an HTTP 200.
 */
export function kuaidi100Poll(subscriptions: Kuaidi100Subscriptions, { key }: { key: string }): RequestHandler {
  return (req, res) => {
    const form: Record<string, unknown> = isRecord(req.body) ? req.body : {};
    res.json(replyToPoll(form, subscriptions, key));
  };
}

function replyToPoll(form: Record<string, unknown>, subscriptions: Kuaidi100Subscriptions, key: string): PollReply {
  const param = typeof form.param === 'string' && form.schema === 'json' ? parseObject(form.param) : {};
  const { company, number, key: given, parameters } = param;
  if (given !== key) return refusedPoll('600', '您不是合法的订阅者');
  const { callbackurl, salt, phone } = isRecord(parameters) ? parameters : {};
  if (typeof company !== 'string' || company === '' || !isNumber(number) || !isAddress(callbackurl))
    return refusedPoll('700', '订阅方的订阅数据存在错误');
  const isNew = subscriptions.add({
    company,
    number,
    callbackUrl: callbackurl,
    ...(typeof salt === 'string' && salt !== '' && { salt }),
    ...(typeof phone === 'string' && { phone }),
  });
  return isNew ? { result: true, returnCode: '200', message: '提交成功' } : refusedPoll('501', '重复订阅');
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

type Kuaidi100Answer = { kind: 'json'; body: Record<string, unknown> } | { kind: 'html'; body: string };

const REFUSALS: Record<Exclude<SandboxFailure, 'unreadable'>, { returnCode: string; message: string }> = {
  invalid_number: { returnCode: '400', message: '单号格式不正确' },
  needs_input: { returnCode: '408', message: '请提供寄件人或收件人手机号后四位' },
  transient: { returnCode: '502', message: '服务暂时繁忙' },
  rate_limited: { returnCode: '504', message: '同一单号查询太频繁' },
};
const GARBAGE = '<!doctype html><html><body><h1>系统维护中</h1></body></html>';
const SHANGHAI_OFFSET_MS = 8 * 3600 * 1000;

/** Kuaidi100's refusal; the HTTP status stays 200. */
function refusal(returnCode: string, message: string): Kuaidi100Answer {
  return { kind: 'json', body: { result: false, returnCode, message } };
}

/** The carrier's answer in Kuaidi100's format. */
function toKuaidi100(number: string, com: string, says: Says): Kuaidi100Answer {
  switch (says.kind) {
    case 'found':
      return { kind: 'json', body: found(says.otherNumber ?? number, com, says.scans) };
    case 'not_found':
      return says.isOthers ? noResult(number, com) : notFound(number, com);
    case 'failed': {
      if (says.failure === 'unreadable') return { kind: 'html', body: GARBAGE };
      const { returnCode, message } = REFUSALS[says.failure];
      return refusal(returnCode, message);
    }
    default:
      return says satisfies never;
  }
}

function found(number: string, com: string, scans: readonly JourneyScan[]) {
  const newest = scans.at(-1);
  const isSigned = newest?.status === 'delivered';
  return {
    message: 'ok',
    nu: number,
    ischeck: isSigned ? '1' : '0',
    com,
    status: '200',
    state: newest?.kuaidi100.code ?? '0',
    condition: isSigned ? 'F00' : '',
    data: scans.toReversed().map(toEntry),
  };
}

function toEntry({ time, place, description, kuaidi100 }: JourneyScan) {
  const local = toShanghai(time);
  return {
    time: local,
    ftime: local,
    context: description,
    // Times are local: of carriers from elsewhere, the place decides.
    location: `中国${place.name}`,
    statusCode: kuaidi100.code,
    status: kuaidi100.name,
    // Area codes beginning with 99 belong to no province.
    areaCode: `CN99${String(place.cityIndex + 1).padStart(2, '0')}00000000`,
    areaName: place.city,
  };
}

/** Both forms occur in practice; a number always uses the same one. */
function notFound(number: string, com: string): Kuaidi100Answer {
  if (hash(number) % 2 === 0) return refusal('500', '暂无轨迹，请稍后再来查询');
  const body = { message: '查无此单号，可能尚未录入', nu: number, ischeck: '0', com, status: '201', state: '0' };
  return { kind: 'json', body: { ...body, condition: '', data: [] } };
}

/** A number of another company: an answer with a single scan, which says that there are none. */
function noResult(number: string, com: string): Kuaidi100Answer {
  const body = { message: 'ok', nu: number, ischeck: '1', com, status: '200', state: '3', condition: 'F00' };
  return { kind: 'json', body: { ...body, data: [{ time: '', ftime: '', context: '查无结果' }] } };
}

/** Naive local time; Shanghai has kept UTC+8 without summer time since 1992. */
function toShanghai(time: Date): string {
  return new Date(time.getTime() + SHANGHAI_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}

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
  const sign = salt === undefined ? {} : { sign: md5(param + salt) };
  const answer = await postCallback(callbackUrl, { body: new URLSearchParams({ param, ...sign }) }, signal);
  return answer?.text === ACCEPTED;
};

type SubscriptionRequest = {
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

type SubscriptionDeps = { speed: number; now(): Date; state: FirstRequests; send?: SendCallback };

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

/**
 * Subscriptions of Kuaidi100's wire, in memory: each has callbacks with its whole history whenever that has changed.
 */
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
  /** The text that distinguishes it from the previous callback. */
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
