import { execFile } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findMonitoring, startReadyServer } from './programs.ts';

type TestPrometheus = {
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

/** Runs Prometheus' tool. @returns its output. @throws with its output if it finds a fault */
export async function promtool(...args: string[]): Promise<string> {
  const { server, env } = await findMonitoring('promtool', '2.42');
  try {
    const { stdout, stderr } = await promisify(execFile)(server, args, { env: { ...process.env, ...env } });
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`promtool ${args.join(' ')}:\n${stdout}${stderr}` || String(error));
  }
}

/** Debian's Alertmanager 0.25 reads its templates here, wherever it is itself. */
const TEMPLATES = '/usr/share/prometheus/alertmanager';

/** Starts an Alertmanager with these settings, which are those of its file. */
export async function startAlertmanager(settings: object): Promise<{ url: string; stop(): Promise<void> }> {
  return startReadyServer({
    ...(await findAlertmanager()),
    files: { 'config.yaml': settings },
    args: (dir, address) => [
      `--config.file=${dir}/config.yaml`,
      `--storage.path=${dir}/data`,
      `--web.listen-address=${address}`,
      // It is alone.
      '--cluster.listen-address=',
    ],
  });
}

/** One that is only unpacked gets a copy which reads its templates where it runs. */
async function findAlertmanager() {
  const found = await findMonitoring('prometheus-alertmanager', '0.25');
  const { server, home } = found;
  if (home === undefined || existsSync(TEMPLATES)) return found;
  const copy = `${server}-unpacked`;
  if (!existsSync(copy)) {
    const here = '.'.padEnd(TEMPLATES.length, '/');
    const program = readFileSync(server, 'latin1').replaceAll(TEMPLATES, here);
    writeFileSync(`${copy}.${process.pid}`, program, { encoding: 'latin1', mode: 0o755 });
    renameSync(`${copy}.${process.pid}`, copy);
  }
  return { ...found, server: copy, cwd: join(home, TEMPLATES) };
}
