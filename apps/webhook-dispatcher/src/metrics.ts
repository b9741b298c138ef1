import { counter, createRegistry, histogram } from '@pts/runtime/metrics';

/** What operators watch of the dispatcher. */
export function createDispatcherMetrics() {
  const registry = createRegistry('webhook-dispatcher');
  return {
    registry,
    attempts: counter(registry, {
      name: 'pts_delivery_attempts_total',
      help: 'Attempts by outcome.',
      labels: ['outcome'],
    }),
    sendSeconds: histogram(registry, { name: 'pts_delivery_send_seconds', help: 'Time a receiver took to answer.' }),
    swept: counter(registry, {
      name: 'pts_deliveries_swept_total',
      help: 'Owed deliveries that the sweep enqueued again.',
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

export type DispatcherMetrics = ReturnType<typeof createDispatcherMetrics>;
