import { startTestServers } from '@pts/testing/servers/servers';
import { benchCheck, benchCheckChanged } from './check.ts';
import { benchDeliver } from './deliver.ts';
import { benchEngine } from './engine/engine.ts';
import { benchGrowth } from './engine/growth.ts';
import { benchWatch } from './engine/watch.ts';
import { runApiProcess } from './http/api-process.ts';
import { benchBulk } from './http/bulk.ts';
import { benchDeliveryLog } from './http/delivery-log.ts';
import { benchDetect } from './http/detect.ts';
import { benchBatch, benchDeliveriesHttp, benchRead, benchRegister, benchShipmentsHttp } from './http/http.ts';
import { runBare } from './http/http-bare.ts';
import { runLoad } from './http/http-load.ts';
import { benchShipments } from './http/shipments.ts';
import { benchTracing } from './http/tracing.ts';
import { benchImport } from './import.ts';
import { benchIsolation } from './isolation.ts';
import { benchLatency } from './latency.ts';
import { benchMigrate } from './migrate.ts';
import { type BenchOptions, readBenchArguments } from './options.ts';
import { benchPages } from './pages.ts';
import { runCarrier } from './parts/carrier.ts';
import type { Figure } from './parts/figure.ts';
import { explainOptions, OptionFault } from './parts/option-values.ts';
import { readable, writePlots } from './parts/output.ts';
import { runSink } from './parts/sink.ts';
import { benchProviderOutage } from './provider-outage.ts';
import { benchScale } from './scale/scale.ts';
import { benchStart } from './start.ts';
import { benchStream, runApi } from './stream.ts';

const BENCHMARKS: Record<string, (options: BenchOptions) => Promise<Figure[]>> = {
  batch: benchBatch,
  bulk: benchBulk,
  check: benchCheck,
  'check-changed': benchCheckChanged,
  deliver: benchDeliver,
  'deliveries-http': benchDeliveriesHttp,
  'delivery-log': benchDeliveryLog,
  detect: benchDetect,
  engine: benchEngine,
  growth: benchGrowth,
  import: benchImport,
  isolation: benchIsolation,
  latency: benchLatency,
  migrate: benchMigrate,
  pages: benchPages,
  'provider-outage': benchProviderOutage,
  read: benchRead,
  register: benchRegister,
  scale: benchScale,
  shipments: benchShipments,
  'shipments-http': benchShipmentsHttp,
  start: benchStart,
  stream: benchStream,
  tracing: benchTracing,
  watch: benchWatch,
};
/** They take long, or depend on their options: they run only if named. */
const LONG_RUNS = ['engine', 'growth', 'migrate', 'pages', 'provider-outage', 'scale'];
/** They start their own servers, which are as durable as in production. */
const ON_OWN_SERVERS = ['engine', 'growth', 'latency', 'migrate', 'scale', 'start'];

const hasRole = runCarrier() || runSink() || runLoad();
if (!hasRole && !(await runBare()) && !(await runApi()) && !(await runApiProcess())) await runOrExplain();

async function runOrExplain(): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof OptionFault)) throw error;
    process.exitCode = explainOptions(error);
  }
}

/** Runs the benchmarks and prints one line per figure. */
async function run(): Promise<void> {
  const all = Object.keys(BENCHMARKS);
  const known = { all, byDefault: all.filter((name) => !LONG_RUNS.includes(name)) };
  const { names, json, plot, options } = readBenchArguments(process.argv.slice(2), process.env, known);
  const isOnTheirs = names.some((name) => !ON_OWN_SERVERS.includes(name));
  const servers = isOnTheirs ? await startTestServers(process.env, console.error) : null;
  Object.assign(process.env, servers?.env);
  try {
    for (const name of names) {
      const figures = (await BENCHMARKS[name]?.(options)) ?? [];
      for (const { plots: _plots, ...figure } of figures) console.log(json ? JSON.stringify(figure) : readable(figure));
      if (plot) writePlots(name, figures);
    }
  } finally {
    await servers?.stop();
  }
}
