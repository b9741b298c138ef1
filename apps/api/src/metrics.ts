import { CONTRACTS } from '@pts/contract/contracts';
import { counter, createRegistry, databaseFaults, type Registry, startAtZero, wakeUpsLost } from '@pts/runtime/metrics';
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
    failures: failuresByRoute(registry),
    callbacks: counter(registry, {
      name: 'pts_callbacks_received_total',
      help: 'Callbacks of providers by result.',
      labels: ['provider', 'result'],
    }),
    callbacksRefused: counter(registry, {
      name: 'pts_callbacks_refused_total',
      help: 'Callbacks to addresses with a wrong token, rejected with 404, or with 429 if their network has sent too many.',
      labels: ['reason'],
    }),
    callbacksUnwatched: counter(registry, {
      name: 'pts_callbacks_unwatched_total',
      help: 'Unwatched numbers in callbacks.',
      labels: ['provider'],
    }),
    databaseFaults: databaseFaults(registry),
    wakeUpsLost: wakeUpsLost(registry),
  };
}

/** Apart from the histogram, of which every route would need the series of each status and bucket to begin at zero. */
function failuresByRoute(registry: Registry) {
  const failures = counter(registry, {
    name: 'pts_http_failures_total',
    help: 'Requests with a 5xx response, by route.',
    labels: ['route'],
  });
  startAtZero(failures, { route: 'none' }, ...CONTRACTS.map(({ contract: { path } }) => ({ route: path })));
  return failures;
}

export type ApiMetrics = ReturnType<typeof createApiMetrics>;
