import { randomBytes } from 'node:crypto';
import { parseAllowList } from '@pts/core/url-policy';
import type { StaticHeaders } from '@pts/core/webhook/headers';
import { newSecret, type PushFormat } from '@pts/core/webhook/push';
import { type Db, openDatabase } from '@pts/db/connection';
import { updateWebhook, type Webhook } from '@pts/db/webhooks';
import { createSender, type Sender } from '@pts/egress/send';
import type { QueueConnection } from '@pts/queue/connection';
import { createProducer, type Producer } from '@pts/queue/wake';
import { createSecretCipher } from '@pts/runtime/encryption/keyring';
import { createLogger, type Logger } from '@pts/runtime/logger';
import { PATIENT, testDatabase } from '@pts/testing/database';
import { newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { type ReceivedRequest, type Receiver, type ReceiverAnswer, startReceiver } from '@pts/testing/http-server';
import { type TestQueue, testQueue } from '@pts/testing/queue';
import { type Dispatcher, startDispatcher } from '../dispatcher.ts';
import { createDispatcherMetrics, type DispatcherMetrics } from '../metrics.ts';

const secretCipher = createSecretCipher(randomBytes(32).toString('base64'));

export type DispatchOptions = {
  allowed?: string[];
  retryTimeScale?: number;
  db?: Db;
  concurrency?: number;
  timeoutMs?: number;
  sendGraceMs?: number;
  sweepIntervalMs?: number;
  now?(): Date;
  metrics?: DispatcherMetrics;
  logger?: Logger;
  /** Another connection to the queue. */
  queue?: QueueConnection;
};
export type Merchant = { accountId: string; webhook: Webhook; secret: string; receiver: Receiver };
export type TestDispatch = {
  db: Db;
  databaseUrl: string;
  queue: TestQueue;
  producer: Producer;
  /** Starts a dispatcher like a process; all are stopped at the end. */
  dispatch(more?: DispatchOptions): Dispatcher;
  /** An account with an endpoint whose receiver answers 200, or what `respond` says. */
  merchant(respond?: (request: ReceivedRequest) => ReceiverAnswer | Promise<ReceiverAnswer>): Promise<Merchant>;
  /** Chooses how its endpoint is sent to. */
  change(merchant: Merchant, chosen: { headers?: StaticHeaders; format?: PushFormat }): Promise<void>;
  /** Adds `count` updates, each of its own parcel. @returns the endpoints to wake. */
  owe(merchant: Merchant, count?: number, at?: Date): ReturnType<typeof newDeliveries>;
  /** The number of deliveries of a merchant in each state. */
  states(merchant: Merchant): Promise<Record<string, number>>;
  close(): Promise<void>;
};

/** Real stores, real receivers, and dispatchers between them. */
export async function startTestDispatch(store: 'redis' | 'postgres'): Promise<TestDispatch> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 10, ...PATIENT });
  const queue = await testQueue(store, database.url);
  const producer = createProducer(queue, () => {});
  const running: Dispatcher[] = [];
  const senders: Sender[] = [];
  const receivers: Receiver[] = [];
  return {
    db,
    queue,
    producer,
    databaseUrl: database.url,
    dispatch(more = {}) {
      const {
        allowed = ['127.0.0.1'],
        timeoutMs = 60_000,
        concurrency = 20,
        retryTimeScale = 1,
        sendGraceMs = 20_000,
        sweepIntervalMs = 100,
        ...others
      } = more;
      const { queue: ownQueue = queue, ...rest } = others;
      const sender = createSender({ policy: { allowHttp: true, allowed: parseAllowList(allowed) }, timeoutMs });
      senders.push(sender);
      const logger = createLogger({ app: 'webhook-dispatcher', level: 'silent', format: 'json' });
      const metrics = createDispatcherMetrics();
      const deps = {
        db,
        send: sender.send,
        secretCipher,
        logger,
        metrics,
        retryTimeScale,
        retentionDays: 30,
      };
      const dispatcher = startDispatcher({
        queue: ownQueue,
        deps: { ...deps, now: () => new Date(), ...rest },
        concurrency,
        sweepIntervalMs,
        sendGraceMs,
      });
      running.push(dispatcher);
      return dispatcher;
    },
    async merchant(respond) {
      const receiver = await startReceiver(respond ? { respond } : {});
      receivers.push(receiver);
      const secret = newSecret(randomBytes(32));
      const accountId = await newAccount(db, new Date());
      const webhook = await newWebhook(db, accountId, new Date(), {
        url: receiver.url,
        encryptedSecret: secretCipher.encrypt(secret),
      });
      return { accountId, webhook, secret, receiver };
    },
    async change({ webhook }, { headers, format }) {
      const encryptedHeaders = headers && secretCipher.encrypt(JSON.stringify(headers));
      await updateWebhook(db, webhook, { ...(encryptedHeaders && { encryptedHeaders }), ...(format && { format }) });
    },
    async owe({ accountId }, count = 1, at = new Date()) {
      let pending: Awaited<ReturnType<typeof newDeliveries>> = [];
      for (let n = 0; n < count; n++) pending = await newDeliveries(db, accountId, at);
      return pending;
    },
    async states({ accountId }) {
      const groups = await db.delivery.groupBy({ by: ['state'], where: { accountId }, _count: true });
      return Object.fromEntries(groups.map(({ state, _count }) => [state, _count]));
    },
    async close() {
      await Promise.all(receivers.map((receiver) => receiver.close()));
      await Promise.all(running.map((dispatcher) => dispatcher.stop()));
      await Promise.all([producer.close(), ...senders.map((sender) => sender.close())]);
      await Promise.all([queue.close(), db.$disconnect()]);
      await database.close();
    },
  };
}
