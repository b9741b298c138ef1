import { findMonitoring, startReadyServer } from './ready-server.ts';

export type TestPrometheus = {
  /** The value of a query that has one, now. */
  query(query: string): Promise<number>;
  stop(): Promise<void>;
};

type Given = {
  /** Groups of a rule file. */
  groups: readonly object[];
  /** `host:port` of each process. */
  targets: readonly string[];
  /** Each gets every alert. */
  alertmanagerUrls: readonly string[];
  /** Between two scrapes of a target, and between two evaluations of a rule. */
  everyMs: number;
  /** How long a sample without a successor counts. */
  lookbackMs: number;
};

/** Starts a Prometheus that scrapes the targets and sends the alerts of these rules to Alertmanagers. */
export async function startPrometheus(given: Given): Promise<TestPrometheus> {
  const { url, stop } = await startReadyServer({
    ...(await findMonitoring('prometheus', '2.42')),
    files: { 'rules.yaml': { groups: given.groups }, 'config.yaml': configOf(given) },
    args: (dir, address) => [
      `--config.file=${dir}/config.yaml`,
      `--storage.tsdb.path=${dir}/data`,
      `--web.listen-address=${address}`,
      `--query.lookback-delta=${given.lookbackMs}ms`,
    ],
  });
  return { query: (query) => answerTo(url, query), stop };
}

function configOf({ targets, alertmanagerUrls, everyMs }: Given): object {
  const every = `${everyMs}ms`;
  const scrape = { job_name: 'parcel-tracking', scrape_timeout: every, static_configs: [{ targets }] };
  const alertmanagers = alertmanagerUrls.map((url) => new URL(url).host);
  return {
    global: { scrape_interval: every, evaluation_interval: every },
    rule_files: ['rules.yaml'],
    alerting: { alertmanagers: [{ static_configs: [{ targets: alertmanagers }] }] },
    scrape_configs: [scrape],
  };
}

async function answerTo(url: string, query: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
  const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
  return Number(data.result[0]?.value[1]);
}
