import { clockSkewSeconds, counter, createRegistry, histogram, wakeUpsLost } from '@pts/runtime/metrics';

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
    clockSkewSeconds: clockSkewSeconds(registry),
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
    wakeUpsLost: wakeUpsLost(registry),
  };
}

export type ApiMetrics = ReturnType<typeof createApiMetrics>;
