import { setTimeout as delay } from 'node:timers/promises';
import { ERRORS } from '@pts/core/errors';
import type { Call } from '../../../chaos/load/balancer.ts';
import { readOverApi, startFeedReaders } from '../../../chaos/load/feed-readers.ts';
import { type Merchant, startLoad } from '../../../chaos/load/merchants.ts';

const RATE = 0.5;
const READ_LOG_MS = 1000;

/** Merchants who register, read and retrack parcels, follow the feed of events and read their delivery log; and what they were refused. */
export function startRollingLoad(send: Call, merchants: readonly Merchant[]) {
  const refusals: string[] = [];
  const call: Call = async (...request) => {
    const answer = await send(...request);
    const isAnswered = answer.kind === 'answered' && [200, ERRORS.retrack_too_soon.number].includes(answer.code);
    if (!isAnswered) refusals.push(`${request[0]} ${request[1]}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const load = startLoad(call, merchants, { seed: 7, rate: RATE });
  const feed = startFeedReaders(readOverApi(call), merchants);
  const stopping = new AbortController();
  const logs = merchants.map((merchant) => readLog(call, merchant, stopping.signal));
  return {
    registrations: load.registrations,
    feeds: feed.readers,
    refusals,
    /** Ends the registrations; the feed is followed until `finish`. */
    stop: load.stop,
    finish: async () => {
      stopping.abort();
      await Promise.all([feed.finish(), ...logs]);
    },
  };
}

/** The newest records of the log, one of them, and those before it: ids that one replica has given out and another one reads. */
async function readLog(call: Call, { apiKey }: Merchant, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const log = await call('GET', '/webhooks/deliveries', apiKey);
    const { items = [] } = (log.kind === 'answered' ? log.data : {}) as { items?: { id: string }[] };
    const [newest] = items;
    if (newest) {
      await call('GET', `/webhooks/deliveries/${newest.id}`, apiKey);
      await call('GET', `/webhooks/deliveries?before=${newest.id}`, apiKey);
    }
    await delay(READ_LOG_MS, undefined, { signal: stopping }).catch(() => {});
  }
}
