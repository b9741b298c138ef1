import { createRegistry, histogram, wakeUpsLost } from '@pts/runtime/metrics';

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
    wakeUpsLost: wakeUpsLost(registry),
  };
}

export type ApiMetrics = ReturnType<typeof createApiMetrics>;
