import {
  clusterGauge,
  counter,
  createRegistry,
  databaseFaults,
  histogram,
  jobFaults,
  oldestDueSeconds,
  queueMetrics,
} from '@pts/runtime/metrics';
import { tracedHistogram } from '@pts/runtime/tracing/open-metrics';

/** A receiver that was down gets an event up to three days later. */
const PUSH_SECONDS = [
  0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 28_800, 86_400, 259_200,
];

/** Carriers report some scans hours late, and providers are asked every few minutes. */
const SCAN_PUSH_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 10_800, 28_800, 86_400, 259_200];

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
    sendSeconds: tracedHistogram(registry, { name: 'pts_delivery_send_seconds', help: 'Response time of receivers.' }),
    pushSeconds: histogram(
      registry,
      { name: 'pts_event_push_seconds', help: 'Time from an event being stored to a receiver accepting it.' },
      PUSH_SECONDS,
    ),
    scanPushSeconds: histogram(
      registry,
      {
        name: 'pts_scan_push_seconds',
        help: "Time from a carrier's scan to a receiver accepting its event. Scans from before a parcel was registered do not count.",
      },
      SCAN_PUSH_SECONDS,
    ),
    pendingEndpoints: clusterGauge(registry, {
      name: 'pts_endpoints_pending',
      help: 'Endpoints with pending deliveries, by whether they accept deliveries at the moment. Absent while it is not known.',
      labels: ['health'],
    }),
    lagSeconds: clusterGauge(registry, {
      name: 'pts_delivery_lag_seconds',
      help: 'Waiting time of the oldest due delivery. Absent while it is not known.',
      labels: ['health'],
    }),
    failingSeconds: clusterGauge(registry, {
      name: 'pts_endpoints_failing_seconds',
      help: 'How long the longest-failing endpoint has accepted no delivery. Absent while it is not known.',
    }),
    oldestDueSeconds: oldestDueSeconds(registry),
    historyAheadSeconds: clusterGauge(registry, {
      name: 'pts_history_ahead_seconds',
      help: 'Time ahead for which a history table has partitions. Absent while it is not known.',
      labels: ['table'],
    }),
    historyExpiredSeconds: clusterGauge(registry, {
      name: 'pts_history_expired_seconds',
      help: 'How long a history partition has been overdue to be dropped. Absent while it is not known.',
      labels: ['table'],
    }),
    ...queueMetrics(registry),
    jobFaults: jobFaults(registry, ['deliver']),
    databaseFaults: databaseFaults(registry),
  };
}

export type DispatcherMetrics = ReturnType<typeof createDispatcherMetrics>;
