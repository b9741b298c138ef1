import { counter, createRegistry, histogram } from '@pts/runtime/metrics';

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
    pushes: counter(registry, {
      name: 'pts_pushes_received_total',
      help: 'Pushes of providers by result.',
      labels: ['provider', 'result'],
    }),
    pushesUnwatched: counter(registry, {
      name: 'pts_pushes_unwatched_total',
      help: 'Numbers in pushes that nobody watches.',
      labels: ['provider'],
    }),
    wakeUpsLost: counter(registry, {
      name: 'pts_wake_ups_lost_total',
      help: 'Wake-up jobs that could not be enqueued.',
    }),
  };
}

export type ApiMetrics = ReturnType<typeof createApiMetrics>;
