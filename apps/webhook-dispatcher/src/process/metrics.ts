import { counter, createRegistry, gauge, histogram } from '@pts/runtime/metrics';

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
    pendingEndpoints: gauge(registry, {
      name: 'pts_endpoints_owed',
      help: 'Endpoints to which something is owed, by whether they take deliveries at the moment.',
      labels: ['health'],
    }),
    lagSeconds: gauge(registry, {
      name: 'pts_delivery_lag_seconds',
      help: 'How long the delivery that is due longest has been waiting.',
      labels: ['health'],
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
