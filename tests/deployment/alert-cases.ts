const POLLERS = ['b1', 'b2', 'b3'].map((name) => `pts_clock_skew_seconds{app="carrier-poller",instance="${name}"}`);

/** Fifteen seconds between two values: what a healthy installation shows, for three hours. */
export const HEALTHY: Record<string, string> = {
  'pts_clock_skew_seconds{app="api",instance="a"}': '0x700',
  ...Object.fromEntries(POLLERS.map((name) => [name, '0x700'])),
  'pts_clock_skew_seconds{app="webhook-dispatcher",instance="c"}': '0x700',
  'pts_database_faults_total{app="api",kind="unreachable"}': '0x700',
  'pts_database_faults_total{app="api",kind="slow"}': '0x700',
  'pts_requirement_unmet{app="api",instance="a",check="database"}': '0x700',
  'pts_requirement_unmet{app="carrier-poller",instance="b1",check="database"}': '0x700',
  'pts_requirement_unmet{app="carrier-poller",instance="b1",check="schema"}': '0x700',
  'pts_certificate_expires_seconds{app="api"}': '7000000-15x700',
  'pts_work_oldest_due_seconds{app="webhook-dispatcher",work="healthy"}': '0x700',
  'pts_job_faults_total{app="carrier-poller",job="query"}': '0x700',
  'pts_work_oldest_due_seconds{app="carrier-poller",work="ups"}': '0x700',
  'pts_queue_unreachable{app="carrier-poller",queue="query-ups"}': '0x700',
  'pts_queue_unreachable{app="webhook-dispatcher",queue="deliver"}': '0x700',
  'pts_checks_oldest_due_seconds{app="carrier-poller",provider="ups"}': '1x700',
  'pts_provider_paused{app="carrier-poller",provider="ups"}': '0x700',
  'pts_provider_held_back{app="carrier-poller",provider="ups"}': '0x700',
  'pts_endpoints_failing_seconds{app="webhook-dispatcher"}': '0x700',
  'pts_delivery_lag_seconds{app="webhook-dispatcher",health="healthy"}': '0x700',
  'pts_http_request_seconds_count{app="api",route="/trackings/get",method="GET",status="200"}': '0+1500x700',
  'pts_http_request_seconds_bucket{app="api",route="/trackings/get",method="GET",status="200",le="0.5"}': '0+1499x700',
  'pts_http_failures_total{app="api",route="/trackings/get"}': '0x700',
  'pts_check_lag_seconds_count{app="carrier-poller",provider="ups"}': '0+100x700',
  'pts_check_lag_seconds_bucket{app="carrier-poller",provider="ups",le="60"}': '0+100x700',
};

/**
 * What a failure changes in the figures of a healthy installation, and which alerts fire some time later, by how many.
 */
export type AlertCase = {
  failure: string;
  series: Record<string, string>;
  /** One moment, or several. */
  at: string | readonly string[];
  fires: Record<string, number>;
};

/** The figures of every old process end after two minutes of an outage, and those of the new ones begin. */
const RESTARTED_WITHOUT_DATABASE: Record<string, string> = Object.fromEntries(
  [
    ['api', 'a'],
    ['carrier-poller', 'b1'],
    ['carrier-poller', 'b2'],
    ['carrier-poller', 'b3'],
    ['webhook-dispatcher', 'c'],
  ].flatMap(([app, name]) => [
    [`pts_requirement_unmet{app="${app}",instance="${name}",check="database"}`, '0x8 1x10 stale'],
    [`pts_requirement_unmet{app="${app}",instance="${name}-new",check="database"}`, '_x19 1x600'],
    [`pts_clock_skew_seconds{app="${app}",instance="${name}"}`, '0x18 stale'],
    [`pts_clock_skew_seconds{app="${app}",instance="${name}-new"}`, '_x19 0x600'],
  ]),
);

/**
 * Conditions that can hold at the same time. @param from the first sample in which it holds, 15 s each; it ends with
 * `to`. `mutedBy` are the alerts which say enough about it.
 */
export type Condition = {
  name: string;
  alert: string;
  mutedBy: readonly string[];
  /** How many samples after its begin one of them fires at the latest. */
  within: number;
  series(from: number, to: number): Record<string, string>;
};

const D = 'ParcelTrackingDatabaseUnavailable';
const F = 'ParcelTrackingWorkDoesNotFlow';
const state = (name: string, good: string, bad: string) => (from: number, to: number) => ({
  [name]: `${good}x${from - 1} ${bad}x${to - from} ${good}x600`,
});

// biome-ignore format: one condition per line is readable as a table
export const CONDITIONS: readonly Condition[] = [
  { name: 'PostgreSQL is away', alert: D, mutedBy: [], within: 12, series: state('pts_requirement_unmet{app="api",instance="a",check="database"}', '0', '1') },
  { name: 'a row is locked', alert: 'ParcelTrackingStatementsSlow', mutedBy: [D], within: 18, series: (from, to) => ({ 'pts_database_faults_total{app="api",kind="slow"}': `0x${from} 0+9x${to - from}` }) },
  { name: 'deliver is paused', alert: F, mutedBy: [D], within: 16, series: state('pts_work_oldest_due_seconds{app="webhook-dispatcher",work="healthy"}', '0', '90') },
  { name: 'query-ups is paused', alert: F, mutedBy: [D], within: 16, series: state('pts_work_oldest_due_seconds{app="carrier-poller",work="ups"}', '0', '90') },
  { name: 'Redis is away', alert: 'ParcelTrackingQueueAway', mutedBy: [D], within: 24, series: state('pts_queue_unreachable{app="carrier-poller",queue="query-ups"}', '0', '1') },
  { name: 'checks are late', alert: 'ParcelTrackingChecksLate', mutedBy: [D, F, 'ParcelTrackingProviderPaused'], within: 24, series: state('pts_checks_oldest_due_seconds{app="carrier-poller",provider="ups"}', '1', '1000') },
  { name: 'deliveries are late', alert: 'ParcelTrackingDeliveriesLate', mutedBy: [D, F], within: 24, series: state('pts_delivery_lag_seconds{app="webhook-dispatcher",health="healthy"}', '0', '60') },
  { name: 'a provider is paused', alert: 'ParcelTrackingProviderPaused', mutedBy: [], within: 66, series: state('pts_provider_paused{app="carrier-poller",provider="ups"}', '0', '1') },
  { name: 'requests fail', alert: 'ParcelTrackingErrorBudgetBurnsFast', mutedBy: [D], within: 60, series: (from, to) => ({ 'pts_http_failures_total{app="api",route="/trackings/get"}': `0x${from} 0+1500x${to - from}` }) },
];

export const ALERT_CASES: readonly AlertCase[] = [
  { failure: 'nothing', series: {}, at: '2h', fires: {} },
  {
    failure: 'PostgreSQL is stopped: nothing else is reported, whatever else fails because of it',
    series: {
      'pts_database_faults_total{app="api",kind="unreachable"}': '0x8 0+50x40',
      'pts_database_faults_total{app="carrier-poller",kind="unreachable"}': '0x8 0+5x40',
      'pts_work_oldest_due_seconds{app="carrier-poller",work="ups"}': '0x8 stale',
      'pts_checks_oldest_due_seconds{app="carrier-poller",provider="ups"}': '0x8 stale',
      'pts_http_failures_total{app="api",route="/trackings/get"}': '0x8 0+100x40',
    },
    at: '8m',
    fires: { ParcelTrackingDatabaseUnavailable: 1 },
  },
  {
    failure: 'PostgreSQL was stopped for twenty minutes: afterwards, what it has cost is not reported',
    series: {
      'pts_database_faults_total{app="api",kind="unreachable"}': '0x8 0+50x80 4000x600',
      'pts_http_failures_total{app="api",route="/trackings/get"}': '0x8 0+100x80 8000x600',
    },
    at: '45m',
    fires: {},
  },
  {
    failure: 'PostgreSQL of one installation is stopped, and checks are not made in another: each has its alert',
    series: {
      'pts_database_faults_total{app="api",kind="unreachable",namespace="staging"}': '0x8 0+50x80',
      'pts_clock_skew_seconds{app="api",namespace="staging"}': '0x700',
      'pts_work_oldest_due_seconds{app="carrier-poller",work="ups"}': '0x8 0+15x40',
    },
    at: '8m',
    fires: { ParcelTrackingDatabaseUnavailable: 1, ParcelTrackingWorkDoesNotFlow: 1 },
  },
  {
    failure: 'every API of one installation is dead, and another one runs',
    series: {
      'pts_clock_skew_seconds{app="api",instance="a"}': '0x8 stale',
      'pts_clock_skew_seconds{app="api",namespace="staging"}': '0x700',
    },
    at: '8m',
    fires: { ParcelTrackingProcessMissing: 1 },
  },
  {
    failure: 'an API has never been seen',
    series: { 'pts_clock_skew_seconds{app="api",instance="a"}': 'stale' },
    at: '8m',
    fires: { ParcelTrackingProcessMissing: 1 },
  },
  {
    failure: 'PostgreSQL is away, and every process is restarted: those that wait for it keep the alert',
    series: {
      ...RESTARTED_WITHOUT_DATABASE,
      'pts_database_faults_total{app="api",kind="unreachable"}': '0x8 0+50x10 stale',
    },
    at: ['6m', '8m', '12m', '20m', '60m'],
    fires: { ParcelTrackingDatabaseUnavailable: 1 },
  },
  {
    failure: 'PostgreSQL comes and goes every two minutes',
    series: {
      'pts_requirement_unmet{app="api",instance="a",check="database"}': `0x8 ${'1x7 0x7 '.repeat(12)}`,
    },
    at: ['5m', '8m', '11m', '14m', '20m', '30m', '40m'],
    fires: { ParcelTrackingDatabaseUnavailable: 1 },
  },
  {
    failure: 'PostgreSQL answers, and refuses writes',
    series: { 'pts_database_faults_total{app="api",kind="unreachable"}': '0x8 0+5x80' },
    at: '8m',
    fires: { ParcelTrackingDatabaseUnavailable: 1 },
  },
  {
    failure: 'a row is locked for some minutes: PostgreSQL answers, and what else fails keeps its alert',
    series: {
      'pts_database_faults_total{app="api",kind="slow"}': '0x8 0+1x80',
      'pts_queue_unreachable{app="carrier-poller",queue="query-ups"}': '0x8 1x80',
    },
    at: '9m',
    fires: { ParcelTrackingStatementsSlow: 1, ParcelTrackingQueueAway: 1 },
  },
  {
    failure: 'a statement was slow once',
    series: { 'pts_database_faults_total{app="api",kind="slow"}': '0x8 1x80' },
    at: ['3m', '4m', '5m', '9m'],
    fires: {},
  },
  {
    failure: 'a poller waits for a migration, from its start on',
    series: { 'pts_requirement_unmet{app="carrier-poller",instance="b1",check="schema"}': '1x700' },
    at: ['5m', '2h'],
    fires: { ParcelTrackingProcessWaits: 1 },
  },
  {
    failure: 'a certificate expires in ten days',
    series: { 'pts_certificate_expires_seconds{app="api"}': '864000-15x700' },
    at: '5m',
    fires: { ParcelTrackingCertificateExpires: 1 },
  },
  {
    failure: 'a connection broke once',
    series: { 'pts_database_faults_total{app="api",kind="unreachable"}': '0x8 3x40' },
    at: '4m',
    fires: {},
  },
  {
    failure: 'every poller is dead',
    series: {
      ...Object.fromEntries(POLLERS.map((name) => [name, '0x8 stale'])),
      'pts_checks_oldest_due_seconds{app="carrier-poller",provider="ups"}': '0x8 stale',
      'pts_provider_paused{app="carrier-poller",provider="ups"}': '0x8 stale',
    },
    at: '8m',
    fires: { ParcelTrackingProcessMissing: 1 },
  },
  {
    failure: 'one of three pollers is missing',
    series: { 'pts_clock_skew_seconds{app="carrier-poller",instance="b3"}': '0x240 stale' },
    at: '1h6m',
    fires: { ParcelTrackingPodMissing: 1 },
  },
  {
    failure: 'one of three pollers has never come up, and kube-state-metrics knows that it should',
    series: {
      'pts_clock_skew_seconds{app="carrier-poller",instance="b3"}': 'stale',
      'kube_deployment_spec_replicas{deployment="parcel-tracking-carrier-poller"}': '3x700',
    },
    at: '6m',
    fires: { ParcelTrackingPodMissing: 1 },
  },
  {
    failure: 'an autoscaler has removed a poller',
    series: {
      'pts_clock_skew_seconds{app="carrier-poller",instance="b3"}': '0x240 stale',
      'kube_deployment_spec_replicas{deployment="parcel-tracking-carrier-poller"}': '3x240 2x400',
    },
    at: '1h10m',
    fires: {},
  },
  {
    failure: 'a rollout had one pod more for some minutes',
    series: { 'pts_clock_skew_seconds{app="carrier-poller",instance="b4"}': '_x40 0x40 stale' },
    at: '30m',
    fires: {},
  },
  {
    failure: 'Redis is stopped',
    series: {
      'pts_queue_unreachable{app="carrier-poller",queue="query-ups"}': '0x8 1x40',
      'pts_queue_unreachable{app="webhook-dispatcher",queue="deliver"}': '0x8 1x40',
    },
    at: '9m',
    fires: { ParcelTrackingQueueAway: 2 },
  },
  {
    failure: 'Redis was away for two minutes',
    series: { 'pts_queue_unreachable{app="webhook-dispatcher",queue="deliver"}': '0x8 1x8 0x40' },
    at: '9m',
    fires: {},
  },
  {
    failure: 'claims fail',
    series: { 'pts_work_oldest_due_seconds{app="carrier-poller",work="ups"}': '0x8 0+15x40' },
    at: '8m',
    fires: { ParcelTrackingWorkDoesNotFlow: 1 },
  },
  {
    failure: 'the queue of deliveries is paused: that they wait is no further alert',
    series: {
      'pts_work_oldest_due_seconds{app="webhook-dispatcher",work="healthy"}': '0x480 0+15x60',
      'pts_delivery_lag_seconds{app="webhook-dispatcher",health="healthy"}': '0x480 0+15x60',
    },
    at: '2h9m',
    fires: { ParcelTrackingWorkDoesNotFlow: 1 },
  },
  {
    failure: 'the queue of a provider is paused: those of the others are still watched',
    series: {
      'pts_work_oldest_due_seconds{app="carrier-poller",work="ups"}': '0x8 0+15x160',
      'pts_checks_oldest_due_seconds{app="carrier-poller",provider="ups"}': '0x8 0+15x160',
      'pts_checks_oldest_due_seconds{app="carrier-poller",provider="fedex"}': '0x8 0+15x160',
    },
    at: '26m',
    fires: { ParcelTrackingWorkDoesNotFlow: 1, ParcelTrackingChecksLate: 1 },
  },
  {
    failure: 'the clock of a machine is an hour off',
    series: { 'pts_clock_skew_seconds{app="carrier-poller",instance="b1"}': '0x8 -3600x40' },
    at: '5m',
    fires: { ParcelTrackingClockWrong: 1 },
  },
  {
    failure: 'there are too few pollers',
    series: { 'pts_checks_oldest_due_seconds{app="carrier-poller",provider="ups"}': '0x8 1000+15x40' },
    at: '9m',
    fires: { ParcelTrackingChecksLate: 1 },
  },
  {
    failure: 'a carrier is down: that its checks wait is no further alert',
    series: {
      'pts_provider_paused{app="carrier-poller",provider="ups"}': '0x8 1x120',
      'pts_checks_oldest_due_seconds{app="carrier-poller",provider="ups"}': '0x8 0+15x120',
    },
    at: '28m',
    fires: { ParcelTrackingProviderPaused: 1 },
  },
  {
    failure: 'a carrier is down, and each of its probes takes long',
    series: { 'pts_provider_paused{app="carrier-poller",provider="ups"}': '0x8 1 1 0 1 1 0 1x118' },
    at: '20m',
    fires: { ParcelTrackingProviderPaused: 1 },
  },
  {
    failure: 'a carrier works again after hours: what waited for it is late, which is not our fault',
    series: {
      'pts_provider_held_back{app="carrier-poller",provider="ups"}': '1x470 0x200',
      'pts_check_lag_seconds_bucket{app="carrier-poller",provider="ups",le="60"}': '0x470 0+20x200',
      'pts_check_lag_seconds_count{app="carrier-poller",provider="ups"}': '0x470 0+100x200',
    },
    at: '2h6m',
    fires: {},
  },
  {
    failure: 'there are too few dispatchers',
    series: { 'pts_delivery_lag_seconds{app="webhook-dispatcher",health="healthy"}': '0x480 60x40' },
    at: '2h6m',
    fires: { ParcelTrackingDeliveriesLate: 1 },
  },
  {
    failure: 'a receiver has been dead for two hours',
    series: {
      'pts_delivery_lag_seconds{app="webhook-dispatcher",health="failing"}': '0x8 0+15x1000',
      'pts_endpoints_failing_seconds{app="webhook-dispatcher"}': '0+15x1000',
    },
    at: '2h',
    fires: {},
  },
  {
    failure: 'a receiver has been dead for a day',
    series: { 'pts_endpoints_failing_seconds{app="webhook-dispatcher"}': '86370+15x100' },
    at: '7m',
    fires: { ParcelTrackingReceiverDead: 1 },
  },
  {
    failure: 'the first fault of a job since the process started',
    series: { 'pts_job_faults_total{app="carrier-poller",job="query"}': '0x8 1x40' },
    at: '5m',
    fires: { ParcelTrackingJobsFail: 1 },
  },
  {
    failure: 'one of ten requests fails for half an hour',
    series: {
      'pts_http_failures_total{app="api",route="/trackings/get"}': '0x480 0+170x120',
    },
    at: '2h30m',
    fires: { ParcelTrackingErrorBudgetBurnsFast: 1, ParcelTrackingErrorBudgetBurnsSlowly: 1 },
  },
  {
    failure: 'one of ten requests fails in one of two installations',
    series: {
      'pts_http_request_seconds_count{app="api",route="/trackings/get",method="GET",status="200",namespace="staging"}':
        '0+150000x700',
      'pts_http_failures_total{app="api",route="/trackings/get"}': '0x480 0+170x120',
    },
    at: '2h30m',
    fires: { ParcelTrackingErrorBudgetBurnsFast: 1, ParcelTrackingErrorBudgetBurnsSlowly: 1 },
  },
  {
    failure: 'many requests take long because clients read files slowly',
    series: {
      'pts_http_request_seconds_count{app="api",route="/shipments.csv",method="GET",status="200"}': '0+500x700',
      'pts_http_request_seconds_bucket{app="api",route="/shipments.csv",method="GET",status="200",le="0.5"}': '0x700',
    },
    at: '2h',
    fires: {},
  },
  {
    failure: 'eight of a thousand requests have failed for hours',
    series: {
      'pts_http_failures_total{app="api",route="/trackings/get"}': '0+12x700',
    },
    at: '2h',
    fires: { ParcelTrackingErrorBudgetBurnsSlowly: 1 },
  },
  {
    failure: 'nine of ten checks come minutes after they were due',
    series: { 'pts_check_lag_seconds_bucket{app="carrier-poller",provider="ups",le="60"}': '0+10x700' },
    at: '2h',
    fires: { ParcelTrackingErrorBudgetBurnsFast: 1, ParcelTrackingErrorBudgetBurnsSlowly: 1 },
  },
  {
    failure: 'no dispatcher can create partitions',
    series: {
      'pts_history_ahead_seconds{app="webhook-dispatcher",instance="a",table="delivery_attempts"}': '90000-60x800',
    },
    at: '2h30m',
    fires: { ParcelTrackingHistoryPartitions: 1 },
  },
  {
    failure: 'no dispatcher can drop partitions',
    series: {
      'pts_history_expired_seconds{app="webhook-dispatcher",instance="a",table="delivery_attempts"}': '172000+60x800',
    },
    at: '2h30m',
    fires: { ParcelTrackingHistoryPartitions: 1 },
  },
  {
    failure: 'a partition is dropped a few hours late',
    series: {
      'pts_history_ahead_seconds{app="webhook-dispatcher",instance="a",table="delivery_attempts"}': '140000-60x800',
      'pts_history_expired_seconds{app="webhook-dispatcher",instance="a",table="delivery_attempts"}': '0+60x800',
    },
    at: '2h30m',
    fires: {},
  },
];
