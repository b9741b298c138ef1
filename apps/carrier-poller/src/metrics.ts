import { counter, createRegistry, gauge, histogram } from '@pts/runtime/metrics';

/** What operators watch of the poller. */
export function createPollerMetrics() {
  const registry = createRegistry('carrier-poller');
  return {
    registry,
    answers: counter(registry, {
      name: 'pts_answers_total',
      help: 'Answers of carriers by kind.',
      labels: ['provider', 'kind'],
    }),
    quarantined: counter(registry, {
      name: 'pts_answers_quarantined_total',
      help: 'Answers that may be about another parcel and were not folded in.',
      labels: ['provider'],
    }),
    unsaved: counter(registry, {
      name: 'pts_answers_unsaved_total',
      help: 'Answers that could not be stored through a fault of ours.',
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
      help: 'Checks that are due and not yet taken.',
      labels: ['provider'],
    }),
    paused: gauge(registry, {
      name: 'pts_provider_paused',
      help: '1 while a provider is paused.',
      labels: ['provider'],
    }),
    jobFaults: counter(registry, {
      name: 'pts_job_faults_total',
      help: 'Jobs that failed through a fault of ours.',
      labels: ['job'],
    }),
    wakeUpsLost: counter(registry, {
      name: 'pts_wake_ups_lost_total',
      help: 'Wake-up calls that the queue did not take.',
    }),
  };
}

export type PollerMetrics = ReturnType<typeof createPollerMetrics>;
