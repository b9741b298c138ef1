import type { Failure } from '@pts/core/tracking/answer';
import {
  clusterGauge,
  counter,
  createRegistry,
  databaseFaults,
  histogram,
  jobFaults,
  oldestDueSeconds,
  queueMetrics,
  startAtZero,
  wakeUpsLost,
} from '@pts/runtime/metrics';

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
      help: 'Carrier responses by kind.',
      labels: ['provider', 'kind'],
    }),
    quarantined: counter(registry, {
      name: 'pts_answers_quarantined_total',
      help: 'Responses that may be about another parcel and were quarantined.',
      labels: ['provider'],
    }),
    unsaved: counter(registry, {
      name: 'pts_answers_unsaved_total',
      help: 'Responses that could not be stored because of an internal error.',
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
      help: 'Due checks that the sweep claimed.',
      labels: ['provider'],
    }),
    moved: counter(registry, {
      name: 'pts_checks_moved_total',
      help: 'Checks moved to another provider, because the old one was paused or off or did not know the parcel.',
      labels: ['from', 'to', 'why'],
    }),
    due: clusterGauge(registry, {
      name: 'pts_checks_due',
      help: 'Due checks that are not yet claimed, counted up to 10,000. Absent while it is not known.',
      labels: ['provider'],
    }),
    oldestDueSeconds: clusterGauge(registry, {
      name: 'pts_checks_oldest_due_seconds',
      help: 'How long the oldest unclaimed check has been due. Absent while it is not known.',
      labels: ['provider'],
    }),
    workOldestDueSeconds: oldestDueSeconds(registry),
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
      help: 'Attempts to release an unwatched number by outcome.',
      labels: ['provider', 'outcome'],
    }),
    callbacksMissed: counter(registry, {
      name: 'pts_callbacks_missed_total',
      help: 'Subscriptions for which a check found an update before a callback did.',
      labels: ['provider'],
    }),
    callbacksOverdue: clusterGauge(registry, {
      name: 'pts_callbacks_overdue',
      help: 'Subscriptions whose expected callback has not arrived. Absent while it is not known.',
      labels: ['provider'],
    }),
    ...queueMetrics(registry),
    jobFaults: jobFaults(registry, ['query', 'subscribe', 'import', 'bulk-action']),
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
