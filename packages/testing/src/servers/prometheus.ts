import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@pts/embedded/free-port';
import { Tether } from '@pts/embedded/tether';
import { eventually } from '../eventually.ts';
import { findProgram } from './find-program.ts';

const PROMETHEUS = {
  program: 'prometheus',
  from: { name: 'prometheus', server: 'usr/bin/prometheus', cache: 'prometheus' },
  since: '2.42',
};
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
  /** Gets what an Alertmanager would get. */
  alertmanagerUrl: string;
  /** Between two scrapes of a target, and between two evaluations of a rule. */
  everyMs: number;
  /** How long a sample without a successor counts. */
  lookbackMs: number;
};

/** Starts a Prometheus that scrapes the targets and sends the alerts of these rules to an Alertmanager. */
export async function startPrometheus(given: Given): Promise<TestPrometheus> {
  // Test files have no terminal of their own: jest shows what they write to stderr.
  const { server, env } = await findProgram(PROMETHEUS, (line) => void process.stderr.write(`${line}\n`));
  const dir = mkdtempSync(join(tmpdir(), 'pts-prometheus-'));
  writeFileSync(join(dir, 'rules.yaml'), JSON.stringify({ groups: given.groups }));
  writeFileSync(join(dir, 'config.yaml'), JSON.stringify(configOf(given)));
  const address = `127.0.0.1:${await freePort()}`;
  const output = openSync(join(dir, 'log'), 'w');
  // Readable when it has ended, too, which removes the folder.
  const log = openSync(join(dir, 'log'), 'r');
  const args = [
    `--config.file=${dir}/config.yaml`,
    `--storage.tsdb.path=${dir}/data`,
    `--web.listen-address=${address}`,
    `--query.lookback-delta=${given.lookbackMs}ms`,
  ];
  const tether = new Tether(server, args, { stopSignal: 'TERM', output, remove: dir, env });
  closeSync(output);
  const stop = async () => {
    if (!(await tether.stop(10_000))) tether.kill();
    await tether.exited;
    closeSync(log);
    rmSync(dir, { recursive: true, force: true });
  };
  const died = tether.exited.then((code) => Promise.reject(new Error(`Prometheus ended with ${code}`)));
  died.catch(() => {});
  try {
    await Promise.race([eventually(() => answers(address)), died]);
    return { query: (query) => answerTo(address, query), stop };
  } catch (error) {
    const said = readFileSync(log, 'utf8').trim();
    await stop();
    throw new Error(`${error instanceof Error ? error.message : error}:\n${said}`);
  }
}

function configOf({ targets, alertmanagerUrl, everyMs }: Given): object {
  const every = `${everyMs}ms`;
  const scrape = { job_name: 'parcel-tracking', scrape_timeout: every, static_configs: [{ targets }] };
  return {
    global: { scrape_interval: every, evaluation_interval: every },
    rule_files: ['rules.yaml'],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [new URL(alertmanagerUrl).host] }] }] },
    scrape_configs: [scrape],
  };
}

async function answers(address: string): Promise<void> {
  const { ok, status } = await fetch(`http://${address}/-/ready`);
  if (!ok) throw new Error(`Prometheus answers ${status}`);
}

async function answerTo(address: string, query: string): Promise<number> {
  const response = await fetch(`http://${address}/api/v1/query?query=${encodeURIComponent(query)}`);
  const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
  return Number(data.result[0]?.value[1]);
}
