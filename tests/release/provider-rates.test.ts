import { playedProviders } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import type { ProviderManifest } from '@pts/carriers/providers/manifest';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { merchantOf } from '../support/merchant.ts';
import { type Processes, startProcesses } from '../support/processes.ts';

type Count = { calls: number; maxPerSecond: number };

const PLAYED = PROVIDERS.filter(({ playedBySandbox, name }) => playedBySandbox || name === 'sandbox');
const NUMBERS = 1000;
/** Calls of each provider that can be queried at least once a second. */
const CALLS_EACH = 12;
/** Calls leave evenly, and may travel up to this much longer than others. */
const TRAVEL_MS = 150;

/** For each provider a carrier of its own, those with the fewest carriers first. */
function carriersOf(manifests: readonly ProviderManifest[]): Map<string, string> {
  const taken = new Map<string, string>();
  for (const { name, carriers, requires } of manifests.toSorted((a, b) => sizeOf(a) - sizeOf(b))) {
    const used = new Set(taken.values());
    const own = Object.keys(carriers).find((code) => !used.has(code) && !(code in requires));
    if (own) taken.set(name, own);
  }
  return taken;
}
const sizeOf = ({ carriers }: ProviderManifest) => Object.keys(carriers).length;

const rateOf = ({ limits: { callsPerSecond: rate } }: ProviderManifest) => rate;

/** The longest lag of a process's event loop since its metrics were last read. */
async function lagMs(metricsUrl: string): Promise<number> {
  const metrics = await (await fetch(metricsUrl)).text();
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds\{[^}]*\} ([\d.e-]+)$/m.exec(metrics) ?? [];
  if (!seconds) throw new Error(`no lag in the metrics of ${metricsUrl}`);
  return Math.round(Number(seconds) * 1000);
}

let database: Awaited<ReturnType<typeof testDatabase>>;
let processes: Processes;
const CARRIERS = carriersOf(PLAYED);

beforeAll(async () => {
  database = await testDatabase();
  processes = await startProcesses({
    databaseUrl: database.url,
    directUrl: database.url,
    replicas: 2,
    // Journeys last longer than the test: every number is checked again and again.
    env: { SANDBOX_SPEED: '0.05', IDLE_CHECK_INTERVAL_SECONDS: '2' },
    envFor: (sandboxUrl) => {
      const { PROVIDER_LIMITS = '', ...played } = playedProviders(PLAYED, sandboxUrl);
      return {
        ...played,
        // As often as the providers allow by default, which is less often than the sandbox would.
        PROVIDER_LIMITS: PROVIDER_LIMITS.replace(/[^,]+\.calls_per_second=\d+,?/g, ''),
        PROVIDERS: PLAYED.map(({ name }) => name).join(','),
        PROVIDER_ROUTES: [...CARRIERS].map(([name, carrier]) => `${carrier}=${name}`).join('; '),
      };
    },
  });
}, 180_000);
const pollersLagMs = () =>
  Promise.all(processes.all.filter(({ app }) => app === 'carrier-poller').map(({ metricsUrl }) => lagMs(metricsUrl)));
afterAll(async () => {
  await processes?.stop();
  await database?.close();
}, 60_000);

test('1,000 numbers at all providers through two replicas: no provider is called more often than it allows in any second', async () => {
  expect(CARRIERS.size).toBe(PLAYED.length);
  const merchants = [processes.ready, ...processes.others].map((ready) => merchantOf({ ready }));
  const carriers = [...CARRIERS.values()];
  const wanted = Array.from({ length: NUMBERS }, (_, n) => ({
    ...{ tracking_number: `SBXORDINARY${n}`, courier_code: carriers[n % carriers.length] },
  }));
  // Their starts do not count.
  await pollersLagMs();
  const batches = Array.from({ length: NUMBERS / 40 }, (_, n) => wanted.slice(n * 40, (n + 1) * 40));
  await Promise.all(
    batches.map((batch, n) => merchants[n % merchants.length]?.call('POST', '/trackings/batch', batch)),
  );
  const read = async (path: string) => (await (await fetch(`${processes.sandboxUrl}${path}`)).json()) as unknown;
  const counts = async () => (await read('/calls')) as Record<string, Count>;
  await eventually(
    async () => {
      const calls = Object.fromEntries(Object.entries(await counts()).map(([name, count]) => [name, count.calls]));
      for (const manifest of PLAYED)
        expect({ [manifest.name]: (calls[manifest.name] ?? 0) >= (rateOf(manifest) >= 1 ? CALLS_EACH : 1) }).toEqual({
          [manifest.name]: true,
        });
    },
    { deadlineMs: 400_000, everyMs: 500 },
  );
  const counted = await counts();
  const { longest_stall_ms: sandboxStalledMs } = (await read('/healthz')) as { longest_stall_ms: number };
  // Calls that a poller was slow to send or the sandbox was slow to take, or that travelled longer, are counted with
  // the following calls.
  const stalledMs = sandboxStalledMs + Math.max(...(await pollersLagMs()));
  const max = (manifest: ProviderManifest) =>
    Math.ceil(Math.max(1, rateOf(manifest))) + Math.ceil((rateOf(manifest) * (TRAVEL_MS + stalledMs)) / 1000);
  const tooMany = PLAYED.filter((manifest) => (counted[manifest.name]?.maxPerSecond ?? 0) > max(manifest));
  expect(tooMany.map((each) => [each.name, max(each), stalledMs, counted[each.name]])).toEqual([]);
}, 600_000);
