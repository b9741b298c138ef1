/** A figure of the page: a metric, as a column of its table. */
export type Figure = {
  metric: string;
  title: string;
  /** How a value is shown. Default: as a count. */
  as?: 'seconds' | 'milliseconds' | 'yes' | 'bytes';
  /** Whether a value needs attention. */
  isBad?(value: number): boolean;
};

/** A table: its rows are the values of one label, or a single row without one. */
export type Table = { title: string; by?: string; figures: readonly Figure[] };

const isSet = (value: number) => value > 0;
const over = (limit: number) => (value: number) => value > limit;

/** Every table of the page, in order. One whose metrics the process does not have is left out. */
export const TABLES: readonly Table[] = [
  {
    title: 'Checks by provider',
    by: 'provider',
    figures: [
      { metric: 'pts_checks_due', title: 'Due' },
      { metric: 'pts_checks_oldest_due_seconds', title: 'Oldest due for', as: 'seconds', isBad: over(900) },
      { metric: 'pts_provider_paused', title: 'Paused', as: 'yes', isBad: isSet },
      { metric: 'pts_provider_held_back', title: 'Held back', as: 'yes' },
      { metric: 'pts_callbacks_overdue', title: 'Callbacks overdue' },
    ],
  },
  {
    title: 'Deliveries by health of the endpoint',
    by: 'health',
    figures: [
      { metric: 'pts_endpoints_pending', title: 'Endpoints with pending deliveries' },
      { metric: 'pts_delivery_lag_seconds', title: 'Oldest due for', as: 'seconds' },
    ],
  },
  {
    title: 'Due work that is not done',
    by: 'work',
    figures: [{ metric: 'pts_work_oldest_due_seconds', title: 'Oldest due for', as: 'seconds', isBad: over(60) }],
  },
  {
    title: 'Queues',
    by: 'queue',
    figures: [
      { metric: 'pts_queue_depth', title: 'Waiting' },
      { metric: 'pts_queue_oldest_seconds', title: 'Oldest waits for', as: 'seconds' },
      { metric: 'pts_queue_unreachable', title: 'Unreachable', as: 'yes', isBad: isSet },
    ],
  },
  {
    title: 'Connections to PostgreSQL',
    by: 'state',
    figures: [{ metric: 'pts_database_connections', title: 'Connections' }],
  },
  {
    title: 'Faults',
    figures: [
      { metric: 'pts_database_faults_total', title: 'Database faults since the start' },
      { metric: 'pts_wake_ups_lost_total', title: 'Lost wake-ups since the start' },
      { metric: 'pts_database_waiting', title: 'Statements that wait for a connection', isBad: isSet },
    ],
  },
  {
    title: 'Answers of carriers since the start',
    by: 'kind',
    figures: [{ metric: 'pts_answers_total', title: 'Answers' }],
  },
  {
    title: 'Delivery attempts since the start',
    by: 'outcome',
    figures: [{ metric: 'pts_delivery_attempts_total', title: 'Attempts' }],
  },
  {
    title: 'Requests since the start',
    by: 'status',
    figures: [{ metric: 'pts_http_request_seconds', title: 'Requests' }],
  },
  {
    title: 'Process',
    figures: [
      {
        metric: 'pts_clock_skew_seconds',
        title: 'Clock ahead by',
        as: 'seconds',
        isBad: (value) => Math.abs(value) > 5,
      },
      { metric: 'nodejs_eventloop_lag_p99_seconds', title: 'Event loop, p99', as: 'milliseconds', isBad: over(0.25) },
      { metric: 'process_resident_memory_bytes', title: 'Memory', as: 'bytes' },
      { metric: 'nodejs_heap_size_used_bytes', title: 'Heap in use', as: 'bytes' },
    ],
  },
];

/** A value in words: `12,345`, `3 min`, `1.5 GiB`. */
export function shown(value: number, as: Figure['as']): string {
  switch (as) {
    case 'yes':
      return value > 0 ? 'yes' : 'no';
    case 'milliseconds':
      return `${(value * 1000).toFixed(0)} ms`;
    case 'seconds':
      return inTime(value);
    case 'bytes':
      return value < 1024 ** 3 ? `${(value / 1024 ** 2).toFixed(0)} MiB` : `${(value / 1024 ** 3).toFixed(1)} GiB`;
    case undefined:
      return value.toLocaleString('en-US');
  }
}

function inTime(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 10) return `${seconds.toFixed(1)} s`;
  if (size < 120) return `${seconds.toFixed(0)} s`;
  if (size < 7200) return `${(seconds / 60).toFixed(0)} min`;
  return `${(seconds / 3600).toFixed(0)} h`;
}
