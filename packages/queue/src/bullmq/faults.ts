import { PostgresConnection } from 'bullmq';

/**
 * BullMQ 6.7 keeps the result of a connection's first schema check, even a failure, after which no statement would ever
 * work. `faults.int.test.ts` fails once it does not.
 */
export class LastingConnection extends PostgresConnection {
  override async waitUntilReady(): Promise<void> {}
}
