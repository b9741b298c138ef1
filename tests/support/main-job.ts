import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/http-server';
import { faultsIn } from './log-faults.ts';
import { merchantOf } from './merchant.ts';
import { type ProcessesOptions, startProcesses } from './processes.ts';
import { distinct, readPush } from './pushes.ts';

/**
 * Does the main job with processes of another program, or behind something before the database: a parcel is delivered,
 * its last change is pushed, the push is in the delivery log, and the processes log no error.
 */
export async function runMainJobOn(
  program: Omit<ProcessesOptions, 'databaseUrl' | 'directUrl'>,
  number: string,
  before: (databaseUrl: string) => Promise<{ url: string; stop(): Promise<void> }> = async (url) => ({
    url,
    stop: async () => {},
  }),
): Promise<void> {
  const database = await testDatabase();
  const between = await before(database.url);
  const receiver = await startReceiver();
  const service = await startProcesses({ ...program, databaseUrl: between.url, directUrl: database.url });
  const waiting = { everyMs: 200 };
  try {
    const merchant = merchantOf(service);
    const secret = await merchant.subscribe(receiver.url);
    await merchant.register(number);
    await eventually(async () => expect(await merchant.read([number])).toMatchObject([{ status: '已签收' }]), waiting);
    await eventually(() => {
      const pushes = distinct(receiver.requests.map((request) => readPush(request, secret)));
      expect(pushes.map(({ event }) => event)).toContain('tracking_delivered');
    }, waiting);
    await eventually(async () => {
      const { data } = await merchant.call<{ items: { event: string }[] }>('GET', '/webhooks/deliveries');
      expect(data.items).toContainEqual(expect.objectContaining({ event: 'tracking_delivered', status_code: 200 }));
    }, waiting);
    expect(faultsIn(service.output())).toEqual([]);
  } finally {
    await service.stop();
    await receiver.close();
    await between.stop();
    await database.close();
  }
}
