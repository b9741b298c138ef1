import { parseArgs } from 'node:util';
import { startTestServers } from '@pts/testing/servers';
import { benchBulk } from './bulk.ts';
import { benchDeliver } from './deliver.ts';
import { benchDeliveryLog } from './delivery-log.ts';
import { benchDetect } from './detect.ts';
import type { Figure } from './figure.ts';
import { benchFlood } from './flood.ts';
import { runFloodedApi } from './flooded-api.ts';
import { runFlooder } from './flooder.ts';
import { benchBatch, benchDeliveriesHttp, benchRead, benchRegister, benchShipmentsHttp } from './http.ts';
import { runBare } from './http-bare.ts';
import { runLoad } from './http-load.ts';
import { benchIsolation } from './isolation.ts';
import { benchProviderTrouble } from './provider-trouble.ts';
import { benchShipments } from './shipments.ts';
import { runSink } from './sink.ts';
import { benchStream, runApi } from './stream.ts';
import { benchWatch } from './watch.ts';

const BENCHMARKS: Record<string, (options: { minutes?: number }) => Promise<Figure[]>> = {
  batch: benchBatch,
  bulk: benchBulk,
  deliver: benchDeliver,
  'deliveries-http': benchDeliveriesHttp,
  'delivery-log': benchDeliveryLog,
  detect: benchDetect,
  flood: benchFlood,
  isolation: benchIsolation,
  'provider-trouble': benchProviderTrouble,
  read: benchRead,
  register: benchRegister,
  shipments: benchShipments,
  'shipments-http': benchShipmentsHttp,
  stream: benchStream,
  watch: benchWatch,
};

const hasRole = runSink() || runFlooder() || runLoad();
if (!hasRole && !(await runBare()) && !(await runApi()) && !(await runFloodedApi())) await run();

/** Runs the benchmarks and prints one line a figure. */
async function run(): Promise<void> {
  const options = { only: { type: 'string' }, json: { type: 'boolean' }, minutes: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const asked = values.minutes === undefined ? {} : { minutes: Number(values.minutes) };
  const chosen = [...positionals, ...(values.only?.split(',') ?? [])];
  const names = chosen.length === 0 ? Object.keys(BENCHMARKS) : chosen;
  const servers = await startTestServers(process.env, console.error);
  Object.assign(process.env, servers.env);
  try {
    for (const name of names) {
      const bench = BENCHMARKS[name];
      if (!bench) throw new Error(`there is no benchmark ${name}: ${Object.keys(BENCHMARKS).join(', ')}`);
      for (const figure of await bench(asked)) console.log(values.json ? JSON.stringify(figure) : readable(figure));
    }
  } finally {
    await servers.stop();
  }
}

function readable({ name, ours, bare, ratio, unit, store = '' }: Figure): string {
  return `${`${name} ${store}`.padEnd(18)} ${ours} ${unit}, bare ${bare}, ratio ${ratio}`;
}
