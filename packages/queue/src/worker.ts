import { Ajv, type ValidateFunction } from 'ajv';
import { JOBS, type JobName, type JobPayloads } from './catalog.ts';
import type { QueueConnection, Receiver } from './connection.ts';

/** What each job of a queue starts. A handler returns at once, and never throws. */
export type Handlers<N extends JobName> = { [K in N]: (payload: JobPayloads[K]) => void };

// The schemas are ours; a test checks them.
const ajv = new Ajv({ strict: true, strictTypes: false, validateSchema: false, meta: false });
const validators: Record<JobName, ValidateFunction> = {
  query: ajv.compile(JOBS.query.schema),
  retrack: ajv.compile(JOBS.retrack.schema),
  run: ajv.compile(JOBS.run.schema),
  deliver: ajv.compile(JOBS.deliver.schema),
};

/**
 * Receives the wake-ups of a queue. A job without a handler, or with a payload that does not match the catalog, as another version
 * may add them, is reported and dropped: its work is due in PostgreSQL.
 */
export function receiveWakeUps<N extends JobName>(
  connection: QueueConnection,
  queue: string,
  handlers: Handlers<N>,
  onError: (error: Error) => void,
): Receiver {
  return connection.receive(queue, (name, payload) => {
    const job = name as N;
    if (!Object.hasOwn(handlers, name)) onError(new Error(`queue ${queue} has no handler for job ${name}`));
    else if (!validators[job](payload))
      onError(new Error(`job ${name} has an invalid payload: ${ajv.errorsText(validators[job].errors)}`));
    else handlers[job](payload as JobPayloads[N]);
  });
}
