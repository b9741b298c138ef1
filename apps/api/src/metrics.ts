import { counter, createRegistry, gauge, histogram } from '@pts/runtime/metrics';

/** The metrics of the API. */
export function createApiMetrics() {
  const registry = createRegistry('api');
  return {
    registry,
    requests: histogram(registry, {
      name: 'pts_http_request_seconds',
      help: 'Requests by route and status.',
      labels: ['route', 'method', 'status'],
    }),
    clockSkewSeconds: gauge(registry, {
      name: 'pts_clock_skew_seconds',
      help: "How far the machine's clock is ahead of the database's.",
    }),
    wakeUpsLost: counter(registry, {
      name: 'pts_wake_ups_lost_total',
      help: 'Wake-up jobs that could not be enqueued.',
    }),
  };
}

export type ApiMetrics = ReturnType<typeof createApiMetrics>;
