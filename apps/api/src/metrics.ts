import { counter, createRegistry, databaseFaults, wakeUpsLost } from '@pts/runtime/metrics';
import { tracedHistogram } from '@pts/runtime/tracing/open-metrics';

/** The metrics of the API. */
export function createApiMetrics() {
  const registry = createRegistry('api');
  return {
    registry,
    requests: tracedHistogram(registry, {
      name: 'pts_http_request_seconds',
      help: 'Requests by route and status.',
      labels: ['route', 'method', 'status'],
    }),
    pushes: counter(registry, {
      name: 'pts_callbacks_received_total',
      help: 'Pushes of providers by result.',
      labels: ['provider', 'result'],
    }),
    callbacksRefused: counter(registry, {
      name: 'pts_callbacks_refused_total',
      help: 'Pushes to addresses with a wrong token: answered 404, or 429 where their network has sent too many.',
      labels: ['reason'],
    }),
    pushesUnwatched: counter(registry, {
      name: 'pts_callbacks_unwatched_total',
      help: 'Numbers in pushes that nobody watches.',
      labels: ['provider'],
    }),
    databaseFaults: databaseFaults(registry),
    wakeUpsLost: wakeUpsLost(registry),
  };
}

export type ApiMetrics = ReturnType<typeof createApiMetrics>;
