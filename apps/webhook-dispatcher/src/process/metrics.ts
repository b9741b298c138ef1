import { counter, createRegistry, gauge, histogram } from '@pts/runtime/metrics';

/** The metrics of the dispatcher. */
export function createDispatcherMetrics() {
  const registry = createRegistry('webhook-dispatcher');
  return {
    registry,
    attempts: counter(registry, {
      name: 'pts_delivery_attempts_total',
      help: 'Delivery attempts by outcome.',
      labels: ['outcome'],
    }),
    sendSeconds: histogram(registry, { name: 'pts_delivery_send_seconds', help: 'Response time of receivers.' }),
    pendingEndpoints: gauge(registry, {
      name: 'pts_endpoints_owed',
      help: 'Endpoints with pending deliveries, by whether they accept deliveries at the moment.',
      labels: ['health'],
    }),
    lagSeconds: gauge(registry, {
      name: 'pts_delivery_lag_seconds',
      help: 'Waiting time of the oldest due delivery.',
      labels: ['health'],
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

export type DispatcherMetrics = ReturnType<typeof createDispatcherMetrics>;
