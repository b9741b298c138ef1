import { counter, createRegistry, gauge, histogram } from '@pts/runtime/metrics';

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
    swept: counter(registry, {
      name: 'pts_checks_swept_total',
      help: 'Due checks that the sweep enqueued.',
      labels: ['provider'],
    }),
    due: gauge(registry, {
      name: 'pts_checks_due',
      help: 'Due checks that are not yet claimed.',
      labels: ['provider'],
    }),
    paused: gauge(registry, {
      name: 'pts_provider_paused',
      help: '1 while a provider is paused.',
      labels: ['provider'],
    }),
    clockSkewSeconds: gauge(registry, {
      name: 'pts_clock_skew_seconds',
      help: "How far the machine's clock is ahead of the database's.",
    }),
    jobFaults: counter(registry, {
      name: 'pts_job_faults_total',
      help: 'Jobs that failed because of an internal error.',
      labels: ['job'],
    }),
    wakeUpsLost: counter(registry, {
      name: 'pts_wake_ups_lost_total',
      help: 'Wake-up jobs that could not be enqueued.',
    }),
  };
}

export type PollerMetrics = ReturnType<typeof createPollerMetrics>;
