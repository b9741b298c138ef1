import type { Failure } from '@pts/core/tracking/answer';
import { canaryMetrics, clusterGauge, counter, createRegistry, databaseFaults, gauge, histogram, jobFaults, startAtZero, wakeUpsLost } from '@pts/runtime/metrics';

/** Calls that wait for a permit or for a pause are late by seconds to hours. */
const LAG_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 900, 3600];

/** Kinds of answers that need a human. */
const FAULTS = ['auth', 'quota', 'unreadable'] as const satisfies readonly Failure[];

/** The metrics of the poller. */
export function createPollerMetrics() {
  const registry = createRegistry('carrier-poller');
  return {
    registry,
    answers: counter(registry, {
      name: 'pts_answers_total',
      help: 'Carrier answers by kind.',
      labels: ['provider', 'kind'],
    }),
    quarantined: counter(registry, {
      name: 'pts_answers_quarantined_total',
      help: 'Answers that may be about another parcel and were quarantined.',
      labels: ['provider'],
    }),
    unsaved: counter(registry, {
      name: 'pts_answers_unsaved_total',
      help: 'Answers that could not be stored because of an internal error.',
      labels: ['provider'],
    }),
    callSeconds: histogram(registry, {
      name: 'pts_provider_call_seconds',
      help: 'Duration of a call to a provider.',
      labels: ['provider'],
    }),
    lagSeconds: histogram(
      registry,
      { name: 'pts_check_lag_seconds', help: 'Time from a check being due to its call.', labels: ['provider'] },
      LAG_SECONDS,
    ),
    swept: counter(registry, {
      name: 'pts_checks_swept_total',
      help: 'Due checks that the sweep enqueued.',
      labels: ['provider'],
    }),
    moved: counter(registry, {
      name: 'pts_checks_moved_total',
      help: 'Checks moved to another provider: the former one was paused or off, or did not know the parcel.',
      labels: ['from', 'to', 'why'],
    }),
    due: clusterGauge(registry, {
      name: 'pts_checks_due',
      help: 'Due checks that are not yet claimed; above 10,000 they are not all counted. Absent while it is not known.',
      labels: ['provider'],
    }),
    oldestDueSeconds: clusterGauge(registry, {
      name: 'pts_checks_oldest_due_seconds',
      help: 'How long the oldest check that is due and not yet claimed has been due. Absent while it is not known.',
      labels: ['provider'],
    }),
    backlogGrowing: gauge(registry, {
      name: 'pts_backlog_growing',
      help: '1 while due checks cannot be claimed, or wait longer and longer and the provider is not the reason. Absent while it is not known.',
      labels: ['provider'],
    }),
    paused: clusterGauge(registry, {
      name: 'pts_provider_paused',
      help: '1 while a provider is paused. Absent while it is not known.',
      labels: ['provider'],
    }),
    heldBack: clusterGauge(registry, {
      name: 'pts_provider_held_back',
      help: '1 while a pause, a budget or its rate delays the checks of a provider. Absent while it is not known.',
      labels: ['provider'],
    }),
    subscriptions: counter(registry, {
      name: 'pts_subscriptions_total',
      help: 'Attempts to subscribe to the callbacks of a number by outcome.',
      labels: ['provider', 'outcome'],
    }),
    releases: counter(registry, {
      name: 'pts_releases_total',
      help: 'Attempts to release a number that nobody watches by outcome.',
      labels: ['provider', 'outcome'],
    }),
    callbacksMissed: counter(registry, {
      name: 'pts_callbacks_missed_total',
      help: 'Subscriptions for which a check found news before a callback.',
      labels: ['provider'],
    }),
    callbacksOverdue: clusterGauge(registry, {
      name: 'pts_callbacks_overdue',
      help: 'Subscriptions whose expected callback has not arrived. Absent while it is not known.',
      labels: ['provider'],
    }),
    ...canaryMetrics(registry),
    jobFaults: jobFaults(registry, ['query', 'retrack', 'subscribe', 'run', 'import', 'bulk-action']),
    databaseFaults: databaseFaults(registry),
    wakeUpsLost: wakeUpsLost(registry),
  };
}

/** Starts the counters of faults of these providers at zero, so that `increase()` sees the first one. */
export function startFaultsAtZero(
  { answers, quarantined, unsaved }: PollerMetrics,
  providers: readonly string[],
): void {
  for (const provider of providers) {
    startAtZero(answers, ...FAULTS.map((kind) => ({ provider, kind })));
    startAtZero(quarantined, { provider });
    startAtZero(unsaved, { provider });
  }
}

export type PollerMetrics = ReturnType<typeof createPollerMetrics>;
