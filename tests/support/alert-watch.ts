import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/http-server';
import { startAlertmanager, startPrometheus } from '@pts/testing/servers/monitoring';
import { alertRoutes, fasterRoutes, fasterRules, ruleGroups } from '../deployment/alerts.ts';

/**
 * Half of the shortest range. It is also the time that a process has to answer: none is missing because the machine is
 * busy.
 */
const EVERY_MS = 2000;
/** Prometheus' default. */
const LOOKBACK_MS = 300_000;

/** Error budgets that a busy machine alone may spend. */
const MEASURES_SPEED: readonly (string | undefined)[] = ['api-latency', 'check-lag', 'delivery-lag'];

/** As Prometheus posts it, again and again while it lasts, and once it has ended. */
type Alert = { labels: { alertname: string; slo?: string }; startsAt: string; endsAt: string };

/** What Alertmanager posts to a receiver. */
export type Message = {
  receiver: string;
  groupLabels: { alertname: string };
  alerts: { labels: { severity: string }; annotations: { summary: string; runbook_url: string } }[];
};

/** The alerts of an installation. */
export type AlertWatch = {
  /** The names of those that began, in this order. */
  began(): string[];
  /** The names of those that have not ended. */
  active(): string[];
  /** What an Alertmanager with the routes of docker/monitoring told its receivers. */
  messages(): Message[];
  stop(): Promise<void>;
};

/** Watches these processes with the rules of k8s/alerts.yaml, `factor` times as fast. */
export async function watchAlerts(metricsUrls: readonly string[], factor: number): Promise<AlertWatch> {
  const [direct, receivers] = await Promise.all([startReceiver(), startReceiver()]);
  const alertmanager = await startAlertmanager(fasterRoutes(alertRoutes(receivers.url), factor));
  const prometheus = await startPrometheus({
    groups: fasterRules(ruleGroups(), factor),
    targets: metricsUrls.map((url) => new URL(url).host),
    alertmanagerUrls: [direct.url, alertmanager.url],
    everyMs: EVERY_MS,
    lookbackMs: LOOKBACK_MS / factor,
  });
  await eventually(async () => expect(await prometheus.query('sum(up)')).toBe(metricsUrls.length));
  const from = new Date();
  /** Each alert once, in its latest state, without those that began before the first metrics were read. */
  const told = () => {
    const posted = direct.requests.flatMap(({ rawBody }) => JSON.parse(rawBody) as Alert[]);
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
    messages: () => receivers.requests.map(({ rawBody }) => JSON.parse(rawBody) as Message),
    stop: async () => {
      await prometheus.stop();
      await alertmanager.stop();
      await Promise.all([direct.close(), receivers.close()]);
    },
  };
}
