import { playedProviders } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { queryOnce, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type OutageKind, type OutageSwitch, startOutageSwitch } from '@pts/testing/network-faults';
import { merchantOf } from '../support/merchant.ts';
import { type Processes, startProcesses } from '../support/processes.ts';

const FAILING: Record<string, OutageKind> = { ups: '429', kuaidi100: 'hang', '17track': 'garbage' };
const HEALTHY = ['sandbox'];
const CARRIERS: Record<string, string> = { ups: 'ups', kuaidi100: 'yto', '17track': 'usps', sandbox: 'sandbox' };
const NAMES = Object.keys(CARRIERS);

let database: Awaited<ReturnType<typeof testDatabase>>;
let outage: OutageSwitch;
let processes: Processes;
let sandboxUrl = '';

beforeAll(async () => {
  database = await testDatabase();
  outage = await startOutageSwitch(() => sandboxUrl);
  processes = await startProcesses({
    ...{ databaseUrl: database.url, directUrl: database.url },
    env: { SANDBOX_SPEED: '0.01', SANDBOX_RATE_LIMITS: 'false', IDLE_CHECK_INTERVAL_SECONDS: '1' },
    envFor: (url) => {
      // The processes are started behind the switch, which has to lead there.
      sandboxUrl = url;
      return {
        ...playedProviders(PROVIDERS, outage.url),
        PROVIDERS: NAMES.join(','),
        SANDBOX_URL: outage.url,
        PROVIDER_ROUTES: NAMES.map((name) => `${CARRIERS[name]}=${name}`).join('; '),
      };
    },
  });
}, 120_000);
afterAll(async () => {
  await processes?.stop();
  await outage?.close();
  await database?.close();
}, 60_000);

/** The first part of the path of a provider's calls. */
const passed = (name: string) => outage.calls(name === 'sandbox' ? 'track' : name).passed;

/** Pauses, and the times at which failed checks are repeated, last for minutes: they are over now. */
const MINUTES_LATER = `
  WITH ended AS (UPDATE provider_pauses SET paused_until = now() WHERE paused_until > now())
  UPDATE checks SET next_check_at = now() WHERE next_check_at BETWEEN now() AND now() + interval '15 minutes'
    AND provider IN (SELECT provider FROM provider_pauses)`;

/** Waits until each of these has answered a few more calls. @param meanwhile is done before each look. */
async function answersGrow(names: readonly string[], meanwhile: () => unknown = () => {}): Promise<void> {
  const before = new Map(names.map((name) => [name, passed(name)]));
  await eventually(
    async () => {
      await meanwhile();
      for (const name of names) expect([name, passed(name) - (before.get(name) ?? 0) >= 3]).toEqual([name, true]);
    },
    { deadlineMs: 300_000, everyMs: 200 },
  );
}

test('providers that answer 429, hang or send garbage recover on their own, and the others continue in between', async () => {
  const merchant = merchantOf(processes);
  const wanted = Object.values(CARRIERS).flatMap((courier_code) =>
    Array.from({ length: 6 }, (_, n) => ({ tracking_number: `SBXORDINARY${n}`, courier_code })),
  );
  await merchant.call('POST', '/trackings/batch', wanted);
  await answersGrow(NAMES);
  for (const [name, kind] of Object.entries(FAILING)) outage.set(name, kind);
  await eventually(() => {
    for (const name of Object.keys(FAILING)) expect([name, outage.calls(name).failed > 0]).toEqual([name, true]);
  });
  await answersGrow(HEALTHY);
  for (const name of Object.keys(FAILING)) outage.set(name, null);
  await answersGrow(NAMES, () => queryOnce(database.url, MINUTES_LATER));
}, 900_000);
