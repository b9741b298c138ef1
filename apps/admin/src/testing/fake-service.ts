import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { SUCCESS_MESSAGE } from '@pts/contract/common';
import type { TrackingEventKind } from '@pts/core/tracking/status';
import { newSecret, pingBody, pushHeaders, trackingBody } from '@pts/core/webhook/push';
import { type HttpServer, serve } from '@pts/testing/http-server';

/** The fault of the fake. */
export type Fault =
  | 'refuses-key'
  | 'refuses-loopback'
  | 'unreachable'
  | 'wrong-signature'
  | 'no-sandbox'
  | 'never-delivered'
  | 'no-delivered-push'
  | 'push-of-another-secret'
  | 'empty-log'
  | 'log-says-500'
  | 'no-charge'
  | 'keeps-webhooks';

export type FakeService = { url: string; hasWebhook(): boolean; close(): Promise<void> };

const ID = '69a463e0a1b2c3d4e5f60718';
const TIME = '2026-03-01T16:00:00Z';
const STATUSES = ['查询中', '查询中', '派送中', '已签收'];
const SUB_STATUSES = { 查询中: 'in_transit', 派送中: 'out_for_delivery', 已签收: 'delivered' } as const;
type Status = keyof typeof SUB_STATUSES;

class Refusal extends Error {
  readonly number: number;
  constructor(number: number, message: string) {
    super(message);
    this.number = number;
  }
}

type Operations = Record<string, (body: Record<string, string>) => object | Promise<object>>;
type State = {
  fault: Fault | undefined;
  looks: number;
  used: number;
  secret: string;
  url: string;
  number: string;
  log: object[];
};

/**
 * The few operations that the story uses, in memory and without delays: each read moves a parcel one status further.
 */
export async function startFakeService(fault?: Fault): Promise<FakeService> {
  const secret = newSecret(new Uint8Array(32));
  // Such a run ends at its deadline, which may be too short for more than the one look that every step has.
  const looks = fault === 'no-delivered-push' ? STATUSES.length - 1 : 0;
  const state: State = { fault, looks, used: 3, secret, url: '', number: '', log: [] };
  const operations = { ...accountOperations(state), ...webhookOperations(state), ...parcelOperations(state) };
  const served = await answerWith(async (request) => {
    const path = new URL(request.url ?? '', 'http://fake').pathname.replace('/api/v1', '');
    const operation = operations[`${request.method} ${path}`];
    if (!operation) throw new Refusal(404, `No such route: ${path}.`);
    return operation(request.method === 'POST' ? ((await json(request)) as Record<string, string>) : {});
  });
  return { ...served, hasWebhook: () => state.url !== '' };
}

function accountOperations(state: State): Operations {
  return {
    'GET /auth/me': () => {
      if (state.fault === 'refuses-key') throw new Refusal(401, 'The API key is not valid.');
      const scopes = ['read', 'write', 'webhooks', 'admin'];
      const key = {
        id: ID,
        hint: 'tk_0000…0000',
        name: null,
        test: false,
        scopes,
        expires_at: null,
        networks: [],
        created_at: TIME,
      };
      return { account_id: ID, name: 'fake', plan: 'pro', key, status: 'active', test_keys: true };
    },
    'GET /account': () => ({
      plan: 'pro',
      quota_limit: 10_000,
      quota_used: state.used,
      quota_remaining: 10_000 - state.used,
      period_start: TIME,
      resets_at: TIME,
    }),
  };
}

function webhookOperations(state: State): Operations {
  return {
    'GET /webhooks': () => ({ webhooks: state.url === '' ? [] : [{ id: ID, url: state.url }] }),
    'POST /webhooks': ({ url = '', events }) => {
      if (state.fault === 'refuses-loopback') throw new Refusal(4130, 'url must use https.');
      state.url = url;
      const rest = { enabled: true, secret: state.secret, created_at: TIME.slice(0, 19), signature_header: 't=,v1=' };
      return { id: ID, url, events, ...rest };
    },
    'POST /webhooks/test': async () => {
      const status = state.fault === 'unreachable' ? 0 : await push(state, 'ping', pingBody(new Date(), ID));
      return { reachable: status !== 0, http_status: status, response_ms: 1 };
    },
    [`DELETE /webhooks/${ID}`]: () => {
      if (state.fault === 'keeps-webhooks') throw new Refusal(500, 'Something went wrong.');
      state.url = '';
      return { id: ID };
    },
    'GET /webhooks/deliveries': () => {
      const items = state.fault === 'empty-log' ? [] : state.log;
      return { count: items.length, items, next_before: null };
    },
  };
}

function parcelOperations(state: State): Operations {
  return {
    'POST /trackings/create': ({ tracking_number = '' }) => {
      if (state.fault === 'no-sandbox') throw new Refusal(4121, 'No carrier could be detected.');
      state.number = tracking_number;
      if (state.fault !== 'no-charge') state.used += 1;
      return { id: ID, tracking_number, carrier: 'sandbox', status: '查询中', created: true, charged: 1 };
    },
    'GET /trackings/get': async () => {
      const last = state.fault === 'never-delivered' ? 2 : STATUSES.length - 1;
      const status = STATUSES[Math.min(state.looks++, last)] as Status;
      if (status === '已签收') await pushDelivered(state);
      const times = { created_at: TIME, updated_at: TIME, last_checked_at: TIME, next_check_at: null };
      const watch = { mode: 'polled', interval_seconds: 300 };
      const parcel = { id: ID, tracking_number: state.number, carrier: 'sandbox', events: [], watch };
      return { success: [{ ...parcel, status, sub_status: SUB_STATUSES[status], ...times }] };
    },
  };
}

async function pushDelivered(state: State): Promise<void> {
  if (state.url === '') return;
  const events: TrackingEventKind[] = ['tracking_update', 'tracking_delivered'];
  const tracking = { id: ID, trackingNumber: state.number, carrier: 'sandbox', seq: 1, scans: [] };
  const status = { status: '已签收', subStatus: 'delivered' } as const;
  for (const event of state.fault === 'no-delivered-push' ? events.slice(0, 1) : events)
    await push(state, event, trackingBody(event, new Date(), { ...tracking, ...status }));
}

/** @returns what the receiver answered */
async function push(
  { fault, secret, url, log }: State,
  event: TrackingEventKind | 'ping',
  body: string,
): Promise<number> {
  const messageId = `message-${log.length}`;
  const isWrong = fault === 'wrong-signature' || (fault === 'push-of-another-secret' && event !== 'ping');
  const secrets = [isWrong ? 'whsec_other' : secret];
  const headers = pushHeaders({ messageId, event, attempt: 1, body, secrets, sentAt: new Date() });
  const { status } = await fetch(url, { method: 'POST', headers, body });
  log.push(attempt(messageId, event, fault === 'log-says-500' ? 500 : status));
  return status;
}

function attempt(messageId: string, event: string, statusCode: number): object {
  return {
    ts: TIME,
    event,
    status_code: statusCode,
    attempt: 1,
    error: null,
    id: messageId,
    message_id: messageId,
    webhook_id: ID,
    duration_ms: 1,
    next_attempt_at: null,
    response_excerpt: null,
    round: 0,
  };
}

function answerWith(answer: (request: IncomingMessage) => Promise<object>): Promise<HttpServer> {
  return serve(async (request, response) => {
    try {
      const data = await answer(request);
      response.writeHead(200).end(JSON.stringify({ code: 200, meta: 200, message: SUCCESS_MESSAGE, data }));
    } catch (error) {
      const { number = 500, message } = error as Partial<Refusal> & Error;
      const body = { code: number, meta: number, message, data: {} };
      response.writeHead(number > 999 ? 400 : number).end(JSON.stringify(body));
    }
  });
}
