import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/receiver';
import { startPrometheus } from '@pts/testing/servers/prometheus';
import { fasterRules, ruleGroups } from '../deployment/alerts.ts';

/** Often enough for the shortest range, and seldom enough for a busy machine to answer in time. */
const EVERY_MS = 1000;
/** Prometheus' default. */
const LOOKBACK_MS = 300_000;

/** Error budgets that a busy machine alone may spend. */
const MEASURES_SPEED: readonly (string | undefined)[] = ['api-latency', 'check-lag', 'delivery-lag'];

/** As Prometheus posts it, again and again while it lasts, and once it has ended. */
type Alert = { labels: { alertname: string; slo?: string }; startsAt: string; endsAt: string };

/** The alerts of an installation, as Prometheus tells them to Alertmanager. */
export type AlertWatch = {
  /** The names of those that began, in this order. */
  began(): string[];
  /** The names of those that have not ended. */
  active(): string[];
  stop(): Promise<void>;
};

/** Watches these processes with the rules of k8s/alerts.yaml, `factor` times as fast. */
export async function watchAlerts(metricsUrls: readonly string[], factor: number): Promise<AlertWatch> {
  const alertmanager = await startReceiver();
  const prometheus = await startPrometheus({
    groups: fasterRules(ruleGroups(), factor),
    targets: metricsUrls.map((url) => new URL(url).host),
    alertmanagerUrl: alertmanager.url,
    everyMs: EVERY_MS,
    lookbackMs: LOOKBACK_MS / factor,
  });
  await eventually(async () => expect(await prometheus.query('sum(up)')).toBe(metricsUrls.length));
  const from = new Date();
  /** Each once, as it was told last, without those from before the first figures. */
  const told = () => {
    const posted = alertmanager.requests.flatMap(({ rawBody }) => JSON.parse(rawBody) as Alert[]);
    const ours = posted.filter(
      ({ labels, startsAt }) => new Date(startsAt) > from && !MEASURES_SPEED.includes(labels.slo),
    );
    return [...new Map(ours.map((alert) => [JSON.stringify([alert.labels, alert.startsAt]), alert])).values()];
  };
  const nameOf = ({ labels: { alertname, slo } }: Alert) => (slo === undefined ? alertname : `${alertname} ${slo}`);
  return {
    began: () => told().map(nameOf),
    active: () =>
      told()
        .filter(({ endsAt }) => new Date(endsAt) > new Date())
        .map(nameOf),
    stop: async () => {
      await prometheus.stop();
      await alertmanager.close();
    },
  };
}
