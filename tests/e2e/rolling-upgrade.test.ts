import { untilFeedIsComplete } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { balance } from '../../chaos/ledger/balance.ts';
import { collect } from '../../chaos/ledger/collect.ts';
import { settle } from '../../chaos/ledger/settle.ts';
import { runAdmin } from '../support/process.ts';
import { buildPreviousRelease } from '../support/releases/previous-release.ts';
import { type RollingFleet, startRollingFleet } from '../support/releases/rolling-fleet.ts';
import { startRollingLoad } from '../support/releases/rolling-load.ts';

let previous: string;
let fleet: RollingFleet;
beforeAll(async () => {
  previous = await buildPreviousRelease();
  fleet = await startRollingFleet(previous);
}, 600_000);
afterAll(() => fleet.close());

async function admin(...args: string[]): Promise<void> {
  const { code, output } = await runAdmin(args, fleet.env);
  expect([args, code, output]).toEqual([args, 0, output]);
}

test('a rolling upgrade from the previous release, and the way back, refuse no request and lose no event', async () => {
  const load = startRollingLoad(fleet.call, fleet.merchants);
  /** The events of a parcel that is registered from now on arrive at every endpoint. */
  const works = async () => {
    const from = load.registrations.length;
    await eventually(() => {
      const ids = new Set(load.registrations.slice(from).flatMap((registration) => registration.ids));
      const arrived = fleet.receivers.pushes.filter((push) => push.answered === 200 && ids.has(push.trackingId));
      expect(new Set(arrived.map(({ endpoint }) => endpoint)).size).toBe(fleet.endpoints.length);
    });
  };

  await works();
  await admin('migrate');
  await works();
  await fleet.replaceAll(undefined, works);
  await works();
  await fleet.replaceAll(previous, works);
  await admin('rollback-to', '0.2.0');
  await works();

  await load.stop();
  expect(await settle(fleet, 180)).toEqual({ parcels: 0, deliveries: 0 });
  await untilFeedIsComplete(fleet.postgres.directUrl);
  await load.finish();
  expect(balance(await collect(fleet, load.registrations, load.feeds))).toEqual([]);
  expect(load.refusals).toEqual([]);
  expect(fleet.crashes()).toBe(0);
}, 900_000);
