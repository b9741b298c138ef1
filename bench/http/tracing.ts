import { openDatabase } from '@pts/db/connection/client';
import { endProcess } from '@pts/testing/app-process';
import { testDatabase } from '@pts/testing/database';
import { serve } from '@pts/testing/http-server';
import { tuning } from '../../tests/support/tuning.ts';
import { type Figure, figure } from '../parts/figure.ts';
import { percentile } from '../parts/samples.ts';
import { startApiProcess } from './api-process.ts';
import { KNOWN, newAccount, UNLIMITED } from './http.ts';
import { type Call, startLoadProcess } from './http-load.ts';
import { MODES, type Mode } from './tracing-modes.ts';

/** In each round, every mode is measured once. */
const ROUNDS = 30;
const RUN_MS = 700;
const WARM_UP_MS = 4000;
const CONNECTIONS = 16;
const CALLS: readonly Call[] = ['create', 'get-one'];

type Round = Partial<Record<Mode, number>>;

/** CPU per request of one API with traces off, and with 1 % of requests sampled, against the same one without tracing. */
export async function benchTracing(): Promise<Figure[]> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 2 });
  const account = await newAccount(db, 0, KNOWN);
  await db.$executeRaw`VACUUM ANALYZE`;
  const collector = await serve((request, response) => {
    request.resume().once('end', () => response.setHeader('Content-Type', 'application/json').end('{}'));
  });
  const api = await startApiProcess('redis', database.url, { ...UNLIMITED, ...tuning() });
  const load = startLoadProcess();
  /** Microseconds of CPU per request. */
  const measure = async (call: Call, mode: Mode, forMs = RUN_MS) => {
    await api.setTracing({ mode, collectorUrl: collector.url });
    const before = await api.cpuMs();
    const answered = await load.run({ url: api.url, call, connections: CONNECTIONS, forMs, accounts: [account] });
    return (((await api.cpuMs()) - before) / answered) * 1000;
  };
  try {
    const figures: Figure[] = [];
    for (const call of CALLS) {
      for (const mode of MODES) await measure(call, mode, WARM_UP_MS);
      const rounds: Round[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const cpu: Round = {};
        // Each is the first one in turn: what changes during a round must not favour one of them.
        const order = MODES.map((_, n) => MODES[(round + n) % MODES.length] as Mode);
        for (const mode of order) cpu[mode] = await measure(call, mode);
        rounds.push(cpu);
      }
      for (const mode of MODES.slice(1)) figures.push(compared(call, mode, rounds));
    }
    return figures;
  } finally {
    await Promise.all([api.close(), endProcess(load.child)]);
    await collector.close();
    await db.$disconnect();
    await database.close();
  }
}

/** Medians; the ratio is that of the rounds, in which the machine is the same for both. */
function compared(call: Call, mode: Mode, rounds: readonly Round[]): Figure {
  const median = (of: (round: Round) => number) => percentile(rounds.map(of), 0.5);
  const ours = (round: Round) => round[mode] ?? Number.NaN;
  const bare = ({ without = Number.NaN }: Round) => without;
  const ratio = Math.round(median((round) => ours(round) / bare(round)) * 1000) / 1000;
  return { ...figure(`tracing ${mode}, ${call}`, median(ours), median(bare), 'µs/request'), ratio };
}
