/** A panel: its title, the unit of its values, and a query by the legend of its lines. */
const panel = (title, unit, ...queries) => ({ title, unit, queries, min: 0 });
/** One whose values may be below zero. */
const signed = (of) => ({ ...of, min: undefined });
const seconds = (title, ...queries) => panel(title, 's', ...queries);
const perSecond = (title, ...queries) => panel(title, 'ops', ...queries);
const count = (title, ...queries) => panel(title, 'short', ...queries);
const share = (title, ...queries) => panel(title, 'percentunit', ...queries);

const quantile = (q, metric, by) =>
  `histogram_quantile(${q}, sum by (${['le', ...by].join(', ')}) (rate(${metric}_bucket[$__rate_interval])))`;
const sum = (by) => (by.length === 0 ? 'sum' : `sum by (${by.join(', ')}) `);
const rate = (metric, ...by) => `${sum(by)}(rate(${metric}[$__rate_interval]))`;

/** Zero also without any request. */
const AVAILABILITY = share('Requests that failed (5xx)', [
  'failed',
  `${rate('pts_http_failures_total')} / (${rate('pts_http_request_seconds_count')} > 0) or vector(0)`,
]);
const CHECK_LAG = seconds(
  'Lateness of checks',
  ['p50', quantile(0.5, 'pts_check_lag_seconds', [])],
  ['p99', quantile(0.99, 'pts_check_lag_seconds', [])],
);
const DELIVERY_LAG = seconds('Oldest due delivery', ['{{health}}', 'max by (health) (pts_delivery_lag_seconds)']);
const DATABASE_FAULTS = perSecond('Errors of an unavailable database', [
  '{{app}}',
  rate('pts_database_faults_total', 'app'),
]);
const OLDEST_DUE = seconds('Oldest due work that is not done', [
  '{{app}} {{work}}',
  'max by (app, work) (pts_work_oldest_due_seconds)',
]);

/** By the name of their file. */
const DASHBOARDS = {
  overview: [
    AVAILABILITY,
    CHECK_LAG,
    DELIVERY_LAG,
    OLDEST_DUE,
    DATABASE_FAULTS,
    count('Paused providers', ['{{provider}}', 'max by (provider) (pts_provider_paused)']),
  ],
  api: [
    perSecond('Requests', ['{{route}}', rate('pts_http_request_seconds_count', 'route')]),
    AVAILABILITY,
    seconds('p99 by route', ['{{route}}', quantile(0.99, 'pts_http_request_seconds', ['route'])]),
    perSecond('Responses by status', ['{{status}}', rate('pts_http_request_seconds_count', 'status')]),
    perSecond('Requests over a limit', ['{{route}}', rate('pts_http_request_seconds_count{status="429"}', 'route')]),
    perSecond('Callbacks of providers', [
      '{{provider}} {{result}}',
      rate('pts_callbacks_received_total', 'provider', 'result'),
    ]),
    perSecond('Refused callbacks', ['{{reason}}', rate('pts_callbacks_refused_total', 'reason')]),
  ],
  carriers: [
    perSecond('Answers', ['{{provider}} {{kind}}', rate('pts_answers_total', 'provider', 'kind')]),
    seconds('p99 of calls', ['{{provider}}', quantile(0.99, 'pts_provider_call_seconds', ['provider'])]),
    count('Due checks', ['{{provider}}', 'max by (provider) (pts_checks_due)']),
    seconds('Oldest due check', ['{{provider}}', 'max by (provider) (pts_checks_oldest_due_seconds)']),
    count('Paused, or held back by a rate', ['{{provider}}', 'max by (provider) (pts_provider_held_back)']),
    perSecond(
      'Answers that need a look',
      ['{{provider}} quarantined', rate('pts_answers_quarantined_total', 'provider')],
      ['{{provider}} unsaved', rate('pts_answers_unsaved_total', 'provider')],
    ),
  ],
  webhooks: [
    perSecond('Attempts', ['{{outcome}}', rate('pts_delivery_attempts_total', 'outcome')]),
    seconds('p99 of receivers', ['p99', quantile(0.99, 'pts_delivery_send_seconds', [])]),
    seconds(
      'Event to receiver',
      ['p50', quantile(0.5, 'pts_event_push_seconds', [])],
      ['p99', quantile(0.99, 'pts_event_push_seconds', [])],
    ),
    seconds(
      'Scan to receiver',
      ['p50', quantile(0.5, 'pts_scan_push_seconds', [])],
      ['p99', quantile(0.99, 'pts_scan_push_seconds', [])],
    ),
    DELIVERY_LAG,
    count('Receivers with pending deliveries', ['{{health}}', 'max by (health) (pts_endpoints_pending)']),
  ],
  queue: [
    count('Waiting jobs', ['{{queue}}', 'max by (queue) (pts_queue_depth)']),
    seconds('Oldest waiting job', ['{{queue}}', 'max by (queue) (pts_queue_oldest_seconds)']),
    count('Queues that do not answer', ['{{app}} {{queue}}', 'max by (app, queue) (pts_queue_unreachable)']),
    perSecond('Lost wake-ups', ['{{app}}', rate('pts_wake_ups_lost_total', 'app')]),
    perSecond('Jobs that fail', ['{{app}} {{job}}', rate('pts_job_faults_total', 'app', 'job')]),
  ],
  database: [
    DATABASE_FAULTS,
    count('Connections in use', [
      '{{app}} {{instance}}',
      'sum by (app, instance) (pts_database_connections{state="active"})',
    ]),
    count('Statements that wait for a connection', ['{{app}} {{instance}}', 'pts_database_waiting']),
    seconds('Age of what the replica shows', ['{{instance}}', 'pts_replica_lag_seconds']),
    signed(seconds('Clock, ahead of PostgreSQL', ['{{app}} {{instance}}', 'pts_clock_skew_seconds'])),
    perSecond('Checks that the sweeps found', ['{{provider}}', rate('pts_checks_swept_total', 'provider')]),
    OLDEST_DUE,
  ],
  capacity: [
    count('Processes', ['{{app}} {{version}}', 'count by (app, version) (pts_build_info)']),
    count('Processes by schema of the database', ['{{version}}', 'count by (version) (pts_schema_info)']),
    share('CPU', ['{{app}} {{instance}}', 'rate(process_cpu_seconds_total{app=~".+"}[$__rate_interval])']),
    panel('Memory', 'bytes', ['{{app}} {{instance}}', 'process_resident_memory_bytes{app=~".+"}']),
    panel('Heap in use', 'bytes', ['{{app}} {{instance}}', 'nodejs_heap_size_used_bytes{app=~".+"}']),
    seconds('p99 of the event loop', ['{{app}} {{instance}}', 'nodejs_eventloop_lag_p99_seconds{app=~".+"}']),
  ],
};

const WIDTH = 12;
const HEIGHT = 8;
const SOURCE = { type: 'prometheus', uid: `\${datasource}` };

/** Which installation is shown. Without namespaces (Compose), metrics have no such label, which All matches, too. */
const NAMESPACE = {
  name: 'namespace',
  type: 'query',
  datasource: SOURCE,
  query: 'label_values(pts_build_info, namespace)',
  refresh: 2,
  includeAll: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
};
const inNamespace = (expr) =>
  expr.replace(
    /\b((?:pts|process|nodejs)_\w+)(\{)?/g,
    (_, metric, labels) => `${metric}{namespace=~"$namespace"${labels ? ',' : '}'}`,
  );

/** The dashboards for Grafana, as JSON by the name of their file. */
export function dashboardFiles() {
  return Object.fromEntries(
    Object.entries(DASHBOARDS).map(([name, panels]) => [
      `${name}.json`,
      `${JSON.stringify(dashboard(name, panels), null, 2)}\n`,
    ]),
  );
}

function dashboard(name, panels) {
  return {
    uid: `parcel-tracking-${name}`,
    title: `Parcel tracking: ${name}`,
    tags: ['parcel-tracking'],
    timezone: 'utc',
    refresh: '30s',
    schemaVersion: 39,
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }, NAMESPACE] },
    panels: panels.map(({ title, unit, queries, min }, n) => ({
      id: n + 1,
      type: 'timeseries',
      title,
      datasource: SOURCE,
      gridPos: { x: (n % 2) * WIDTH, y: Math.floor(n / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
      fieldConfig: { defaults: { unit, min }, overrides: [] },
      targets: queries.map(([legendFormat, expr], m) => ({
        refId: String.fromCharCode('A'.charCodeAt(0) + m),
        datasource: SOURCE,
        expr: inNamespace(expr),
        legendFormat,
      })),
    })),
  };
}
