import { PROVIDERS } from '@pts/carriers/providers/index';
import type { ProviderManifest } from '@pts/carriers/providers/manifest';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { merchantOf } from '../support/merchant.ts';
import { type Processes, startProcesses } from '../support/processes.ts';

type Count = { calls: number };

const PLAYED = PROVIDERS.filter(({ playedBySandbox, name }) => playedBySandbox && name !== 'kuaidi100');
const NUMBERS_EACH = 12;
/** Calls of each provider that can be queried at least once a second. */
const CALLS_EACH = 8;
/** The first call is made at once, and some providers have a login that counts as one. */
const FIRST_CALLS = 2;

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

const rateOf = ({ limits: { callsPerSecond: rate } }: ProviderManifest) =>
  typeof rate === 'number' ? rate : rate.fallback;

let database: Awaited<ReturnType<typeof testDatabase>>;
let processes: Processes;
const CARRIERS = carriersOf(PLAYED);

beforeAll(async () => {
  database = await testDatabase();
  processes = await startProcesses({
    databaseUrl: database.url,
    directUrl: database.url,
    pollers: 2,
    // Journeys last longer than the test: every number is checked again and again.
    env: { SANDBOX_SPEED: '0.05', IDLE_CHECK_INTERVAL_SECONDS: '2' },
    envFor: (sandboxUrl) => {
      const all = PLAYED.flatMap((manifest) => Object.entries(manifest.playedBySandbox?.(sandboxUrl) ?? {}));
      return {
        // As often as the providers allow by default, which is less often than the sandbox would.
        ...Object.fromEntries(all.filter(([name]) => !name.endsWith('_CALLS_PER_SECOND'))),
        PROVIDERS: PLAYED.map(({ name }) => name).join(','),
        PROVIDER_ROUTES: [...CARRIERS].map(([name, carrier]) => `${carrier}=${name}`).join('; '),
      };
    },
  });
}, 120_000);
afterAll(async () => {
  await processes?.stop();
  await database?.close();
}, 60_000);

test('two pollers together query no provider more often than it allows', async () => {
  const merchant = merchantOf(processes);
  /** By provider: when its first call could be made. */
  const startedAt = new Map<string, number>();
  for (const [name, carrier] of CARRIERS) {
    startedAt.set(name, performance.now());
    const wanted = Array.from({ length: NUMBERS_EACH }, (_, n) => ({
      tracking_number: `SBXORDINARY${n}`,
      courier_code: carrier,
    }));
    await merchant.call('POST', '/trackings/batch', wanted);
  }
  const counts = async () => (await (await fetch(`${processes.sandboxUrl}/calls`)).json()) as Record<string, Count>;
  await eventually(
    async () => {
      const calls = Object.fromEntries(Object.entries(await counts()).map(([name, count]) => [name, count.calls]));
      for (const manifest of PLAYED.filter(({ name }) => CARRIERS.has(name)))
        expect({ [manifest.name]: (calls[manifest.name] ?? 0) >= (rateOf(manifest) >= 1 ? CALLS_EACH : 1) }).toEqual({
          [manifest.name]: true,
        });
    },
    { deadlineMs: 400_000, everyMs: 500 },
  );
  const counted = await counts();
  // A slow machine makes calls later, never earlier.
  const now = performance.now();
  const tooMany = PLAYED.filter((manifest) => {
    const seconds = (now - (startedAt.get(manifest.name) ?? now)) / 1000;
    return (counted[manifest.name]?.calls ?? 0) > rateOf(manifest) * seconds + FIRST_CALLS;
  });
  expect(tooMany.map(({ name }) => [name, counted[name]])).toEqual([]);
}, 600_000);
