import type {
  Callback,
  CallbackAddress,
  ConnectedProvider,
  ReleaseOutcome,
  ReleaseTerms,
  ResumeOutcome,
  SubscribeOutcome,
} from '@pts/carriers/provider';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { createLogger } from '@pts/runtime/logger';
import { receiveCallback } from '@pts/service/callbacks';
import { query } from '../ask.ts';
import {
  apartFor,
  createWatcherSweep,
  reportOverdue,
  subscribe,
  sweepReleases,
  sweepRenewals,
  sweepSubscriptions,
} from '../callbacks.ts';
import type { Numbers, PollerDeps, ProviderWork } from '../deps.ts';
import { CADENCE, found, type PollerTest, scan } from './test-poller.ts';

export const SAFETY_NET = 21_600;
const CALLBACK: CallbackAddress = { url: 'https://api.example/callbacks/acme/token', salt: 'salt' };

/** A provider that answers queries, subscriptions and signs callbacks as the test says, under its own name. */
export function callbackProvider(
  name: string,
  more: {
    subscribe?: 'when-found' | 'before-reading';
    floor?: number;
    release?: ReleaseTerms;
    renewSeconds?: number;
    isThin?: true;
  } = {},
) {
  const { release, renewSeconds, isThin } = more;
  const said = {
    answer: found(scan(1, 'in_transit')) as CarrierAnswer,
    outcome: { kind: 'subscribed' } as SubscribeOutcome,
    /** Called with each release, before it is answered. */
    release: async (): Promise<ReleaseOutcome> => ({ kind: 'released' }),
    resume: { kind: 'subscribed' } as ResumeOutcome,
  };
  const requested: string[] = [];
  const subscribed: string[] = [];
  /** The numbers of each call. */
  const [released, resumed]: [string[][], string[][]] = [[], []];
  const numbersOf = (questions: readonly { number: string }[]) => questions.map(({ number }) => number);
  const provider: ConnectedProvider = {
    name,
    limits: { batchSize: 1, callsPerSecond: 1000, concurrency: 4, floorSeconds: more.floor ?? 0 },
    serves: () => true,
    callbacks: {
      title: 'Acme',
      subscribe: more.subscribe ?? 'when-found',
      batchSize: 1,
      firstCallbackSeconds: 900,
      resubscribeSeconds: 1800,
      ...(release && { release }),
      ...(renewSeconds !== undefined && { renewSeconds }),
      ...(isThin && { isThin }),
    },
    ask: async (questions) => {
      requested.push(...questions.map(({ number }) => number));
      return questions.map(() => said.answer);
    },
    subscribe: async (questions) => {
      subscribed.push(...questions.map(({ number }) => number));
      return questions.map(() => said.outcome);
    },
    ...(release && {
      release: async (questions) => {
        released.push(numbersOf(questions));
        return Promise.all(questions.map(() => said.release()));
      },
    }),
    ...(release &&
      release.restarts > 0 && {
        resume: async (questions) => {
          resumed.push(numbersOf(questions));
          return questions.map(() => said.resume);
        },
      }),
  };
  return { provider, said, requested, subscribed, released, resumed };
}

export type CallbackProvider = ReturnType<typeof callbackProvider>;

/** What a test does with a provider with callbacks: check, subscribe, send one. */
export function callbackTest(poller: PollerTest, { provider }: CallbackProvider, changed: Partial<PollerDeps> = {}) {
  const calls: Numbers[] = [];
  const cadence = { ...CADENCE, floorSeconds: provider.limits.floorSeconds, safetyNetSeconds: SAFETY_NET };
  const loop = {
    start: (ask: ProviderWork) => ('numbers' in ask ? calls.push(ask.numbers) > 0 : false),
    waiting: () => 0,
    hasFree: () => true,
  };
  const deps = poller.depsFor(provider, { cadence, callback: CALLBACK, ...changed });
  const [subscribing, releasing] = [apartFor(deps, 'subscribe'), apartFor(deps, 'release')];
  const ctx = { ...deps, ...CADENCE, safetyNetSeconds: SAFETY_NET, logger: createLogger(SILENT) };
  return {
    deps,
    check: async (id: string) => query(deps, await poller.parcels(id)),
    /** Runs the sweep and the calls that it starts. @returns how many there were. */
    subscribe: async () => {
      await sweepSubscriptions(subscribing, loop);
      const due = calls.splice(0);
      for (const numbers of due) await subscribe(subscribing, numbers);
      return due.length;
    },
    /** Records which numbers are watched, and releases the others until none are left. */
    release: async () => {
      await createWatcherSweep(deps)();
      while ((await sweepReleases(releasing)).more);
    },
    renew: () => sweepRenewals(deps),
    sendCallback: (callback: Partial<Callback> & { number: string }) => {
      const sent: Callback = {
        carriers: ['yto'],
        answer: found(scan(1, 'in_transit')),
        watch: 'going_on',
        ...callback,
      };
      const wire = { verify: () => true, parse: () => [sent], accepted: { status: 200, type: '', body: '' } };
      const receiver = { provider, token: '', keys: { salt: '', settings: {} }, wire };
      return receiveCallback(ctx, receiver, { headers: {}, rawBody: '' });
    },
    /** Subscriptions whose first callback is late, as the metric has it. */
    overdue: async () => {
      await reportOverdue(deps);
      const { values } = await deps.metrics.callbacksOverdue.get();
      return values.find(({ labels }) => labels.provider === provider.name)?.value;
    },
    subscription: (trackingNumber: string, carrier = 'yto') =>
      poller.db.subscription.findFirst({ where: { trackingNumber, carrier, provider: provider.name } }),
    /** Seconds until a parcel is checked next. */
    nextCheck: poller.dueIn,
  };
}

const SILENT = { app: 'test', level: 'silent', format: 'json' } as const;
