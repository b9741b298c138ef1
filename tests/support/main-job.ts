import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Receiver, startReceiver } from '@pts/testing/receiver';
import { faultsIn } from './log-faults.ts';
import { merchantOf } from './merchant.ts';
import { type Processes, type ProcessesOptions, startProcesses } from './processes.ts';
import { distinct, readPush } from './pushes.ts';

/** Registers a number of the sandbox carrier, and waits until it is delivered and every change of it was pushed and recorded. */
export async function runMainJob(service: Processes, receiver: Receiver, number: string) {
  const merchant = merchantOf(service);
  const secret = await merchant.subscribe(receiver.url);
  await merchant.register(number);
  await expectDelivered(service, receiver, { number, secret });
}

/** Does the main job with processes of another checkout or program, which must log no error. */
export async function runMainJobOn(
  program: Omit<ProcessesOptions, 'databaseUrl' | 'directUrl'>,
  number: string,
): Promise<void> {
  const database = await testDatabase();
  const receiver = await startReceiver();
  const service = await startProcesses({ ...program, databaseUrl: database.url, directUrl: database.url });
  try {
    await runMainJob(service, receiver, number);
    expect(faultsIn(service.output())).toEqual([]);
  } finally {
    await service.stop();
    await receiver.close();
    await database.close();
  }
}

/** Waits until a parcel is delivered, its last change was pushed, and the push is in the delivery log. */
export async function expectDelivered(
  service: Processes,
  receiver: Receiver,
  { number, secret }: { number: string; secret: string },
): Promise<void> {
  const merchant = merchantOf(service);
  const waiting = { everyMs: 200 };
  await eventually(async () => {
    const [tracking] = await merchant.read([number]);
    expect(tracking?.status).toBe('已签收');
  }, waiting);
  await eventually(() => {
    const pushes = distinct(receiver.requests.map((request) => readPush(request, secret)));
    expect(pushes.filter(({ data }) => data.tracking_number === number).map(({ event }) => event)).toContain(
      'tracking_delivered',
    );
  }, waiting);
  await eventually(async () => {
    const { data } = await merchant.call<{ items: { event: string }[] }>('GET', '/webhooks/deliveries');
    expect(data.items).toContainEqual(expect.objectContaining({ event: 'tracking_delivered', status_code: 200 }));
  }, waiting);
}
