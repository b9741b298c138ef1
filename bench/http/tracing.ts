import { randomBytes } from 'node:crypto';
import { openDatabase } from '@pts/db/connection/client';
import { endProcess } from '@pts/testing/app-process';
import { testDatabase } from '@pts/testing/database';
import { serve } from '@pts/testing/http-server';
import { PATIENT_DATABASE } from '../../tests/support/patient-database.ts';
import { startApiProcess, WITHOUT_FLOWS } from '../flood/flooded-api.ts';
import { type Figure, figure } from '../parts/figure.ts';
import { KNOWN, newAccount, UNLIMITED } from './http.ts';
import { type Call, startLoadProcess } from './http-load.ts';

/** In each round, every server is measured once. */
const ROUNDS = 16;
const RUN_MS = 1500;
const WARM_UP_MS = 6000;
const CONNECTIONS = 16;
const CALLS: readonly Call[] = ['create', 'get-one'];

/** What the settings of a server are called in its figures. The first one is what the others are measured against. */
const SERVERS = ['without', 'without, again', 'off', '1 %'] as const;
type Name = (typeof SERVERS)[number];

/**
 * CPU per request of the API with traces off, and with 1 % of requests sampled, against an API without what tracing adds to the path of
 * a request. The same API again shows the noise.
 */
export async function benchTracing(): Promise<Figure[]> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 2 });
  const account = await newAccount(db, 0, KNOWN);
  await db.$executeRaw`VACUUM ANALYZE`;
  const collector = await serve((request, response) => {
    request.resume().once('end', () => response.setHeader('Content-Type', 'application/json').end('{}'));
  });
  const sampled = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0.01' };
  const settings: Record<Name, Record<string, string>> = {
    ...{ without: WITHOUT_FLOWS, 'without, again': WITHOUT_FLOWS },
    ...{ off: {}, '1 %': sampled },
  };
  const ENCRYPTION_KEY = randomBytes(32).toString('base64');
  const start = (name: Name) =>
    startApiProcess('redis', database.url, { ...UNLIMITED, ...PATIENT_DATABASE, ENCRYPTION_KEY, ...settings[name] });
  const servers = await Promise.all(SERVERS.map(async (name) => ({ name, api: await start(name) })));
  const load = startLoadProcess();
  /** Microseconds of CPU per request. */
  const measure = async (call: Call, api: (typeof servers)[number]['api'], forMs = RUN_MS) => {
    const before = await api.cpuMs();
    const answered = await load.run({ url: api.url, call, connections: CONNECTIONS, forMs, accounts: [account] });
    return (((await api.cpuMs()) - before) / answered) * 1000;
  };
  try {
    const figures: Figure[] = [];
    for (const call of CALLS) {
      for (const { api } of servers) await measure(call, api, WARM_UP_MS);
      const rounds: Record<string, number>[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const cpu: Record<string, number> = {};
        // Each is the first one in turn: what changes during a round must not favour one of them.
        for (let n = 0; n < servers.length; n++) {
          const { name, api } = servers[(round + n) % servers.length] as (typeof servers)[number];
          cpu[name] = await measure(call, api);
        }
        rounds.push(cpu);
      }
      for (const name of SERVERS.slice(1)) figures.push(compared(call, name, rounds));
    }
    return figures;
  } finally {
    await Promise.all([...servers.map(({ api }) => api.close()), endProcess(load.child)]);
    await collector.close();
    await db.$disconnect();
    await database.close();
  }
}

/** The rounds that the machine disturbed least: others make the same work take up to a tenth more CPU. */
function compared(call: Call, name: Name, rounds: readonly Record<string, number>[]): Figure {
  const best = (server: Name) => Math.min(...rounds.map((round) => round[server] ?? Number.NaN));
  const [ours, bare] = [best(name), best(SERVERS[0])];
  const ratio = Math.round((ours / bare) * 1000) / 1000;
  return { ...figure(`tracing ${name}, ${call}`, ours, bare, 'µs/request'), ratio };
}
