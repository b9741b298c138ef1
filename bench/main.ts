import { startTestServers } from '@pts/testing/servers/servers';
import { benchApi, runApiProcess, runBare, runLoad } from './api.ts';
import { benchDeliver } from './deliver.ts';
import { benchEngine } from './engine.ts';
import { type Figure, readable } from './figure.ts';
import { benchLatency } from './latency.ts';
import { type BenchOptions, explainOptions, OptionFault, readBenchArguments } from './options.ts';
import { runSink } from './sink.ts';
import { benchStart } from './start.ts';

const BENCHMARKS: Record<string, (options: BenchOptions) => Promise<Figure[]>> = {
  api: benchApi,
  deliver: benchDeliver,
  latency: benchLatency,
  start: benchStart,
  engine: benchEngine,
};
/** It takes long and depends on its options: it runs only if named. */
const LONG_RUN = 'engine';
/** They start their own servers, which are as durable as in production. */
const ON_OWN_SERVERS = ['engine', 'latency', 'start'];

const hasRole = runSink() || runLoad();
if (!hasRole && !(await runBare()) && !(await runApiProcess())) await runOrExplain();

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
  const known = { all, byDefault: all.filter((name) => name !== LONG_RUN) };
  const { names, json, options } = readBenchArguments(process.argv.slice(2), process.env, known);
  const isOnTheirs = names.some((name) => !ON_OWN_SERVERS.includes(name));
  const servers = isOnTheirs ? await startTestServers(process.env, console.error) : null;
  Object.assign(process.env, servers?.env);
  try {
    for (const name of names) {
      const figures = (await BENCHMARKS[name]?.(options)) ?? [];
      for (const figure of figures) console.log(json ? JSON.stringify(figure) : readable(figure));
    }
  } finally {
    await servers?.stop();
  }
}
