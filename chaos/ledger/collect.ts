import { setTimeout as delay } from 'node:timers/promises';
import { carrierOf, endOf } from '../load/parcels.ts';
import { scansOf } from '../world/carriers.ts';
import { rowsOf } from '../world/postgres.ts';
import type { World } from '../world/world.ts';
import type { Delivery, Facts, Registration, StoredParcel, Word } from './facts.ts';

const CHUNK = 40;
const TRIES = 10;

type Row = StoredParcel & { carrier: string };

/** The parts of the world that the ledger is about. */
type Examined = Pick<World, 'endpoints' | 'merchants' | 'call' | 'sandboxUrl'> & {
  postgres: Pick<World['postgres'], 'directUrl' | 'lost'>;
  receivers: Pick<World['receivers'], 'pushes'>;
};

/** Reads everything that the ledger compares: from the tables, the API, the carrier and the receivers. */
export async function collect(
  world: Examined,
  registrations: readonly Registration[],
  feeds: Facts['feeds'],
): Promise<Facts> {
  const { directUrl } = world.postgres;
  const stored = await rowsOf<Row>(
    directUrl,
    'SELECT id, account_id AS account, tracking_number AS number, carrier, seq FROM trackings ORDER BY id',
  );
  const charged = await rowsOf<{ account: string; used: number }>(
    directUrl,
    'SELECT account_id AS account, sum(used)::int AS used FROM quota_usage GROUP BY 1',
  );
  const messages = await rowsOf<{ id: string; trackingId: string; seq: number }>(
    directUrl,
    'SELECT id, tracking_id AS "trackingId", seq FROM messages WHERE tracking_id IS NOT NULL',
  );
  const epochs = await rowsOf<{ floor: number }>(directUrl, 'SELECT seq_floor AS floor FROM feed_epochs');
  return {
    registrations,
    endpoints: world.endpoints,
    charged: new Map(charged.map(({ account, used }) => [account, used])),
    stored,
    shown: await readShown(world, stored),
    carrier: await readCarrier(world, stored),
    messages,
    seqFloors: new Set(epochs.map(({ floor }) => floor)),
    deliveries: await readDeliveries(directUrl),
    pushes: [...world.receivers.pushes],
    feeds,
    lost: world.postgres.lost,
  };
}

async function readDeliveries(directUrl: string): Promise<Delivery[]> {
  return rowsOf<Delivery>(
    directUrl,
    `SELECT d.id::text, d.message_id AS "messageId", d.webhook_id AS "webhookId", d.state, d.attempts,
       COALESCE(json_agg(json_build_object('round', a.round, 'attempt', a.attempt, 'statusCode', a.status_code)
         ORDER BY a.round, a.id) FILTER (WHERE a.id IS NOT NULL), '[]') AS log
     FROM deliveries d LEFT JOIN delivery_attempts a ON a.delivery_id = d.id GROUP BY d.message_id, d.webhook_id`,
  );
}

type Shown = { id: string; sub_status: string; events: { time: string; description: string }[] };

/** Reads the states and scans that merchants see, by the id of the parcel. */
async function readShown({ call, merchants }: Examined, stored: readonly Row[]): Promise<Map<string, Word>> {
  const shown = new Map<string, Word>();
  for (const { account, apiKey } of merchants) {
    const numbers = stored.filter((row) => row.account === account).map(({ number }) => number);
    for (let from = 0; from < numbers.length; from += CHUNK) {
      const path = `/trackings/get?tracking_numbers=${numbers.slice(from, from + CHUNK).join(',')}`;
      const { success } = await patiently(() => call('GET', path, apiKey));
      for (const { id, sub_status, events } of success)
        shown.set(id, {
          subStatus: sub_status,
          scans: events.map(({ time, description }) => `${time} ${description}`),
        });
    }
  }
  return shown;
}

/** On a busy machine a request may get no response, even though the faults have ended. */
async function patiently(ask: () => ReturnType<World['call']>): Promise<{ success: Shown[] }> {
  for (let tried = 1; ; tried++) {
    const answer = await ask();
    if (answer.kind === 'answered' && answer.code === 200) return answer.data as { success: Shown[] };
    if (tried === TRIES) throw new Error(`the API does not show the parcels: ${JSON.stringify(answer)}`);
    await delay(1000);
  }
}

async function readCarrier({ sandboxUrl }: Examined, stored: readonly Row[]): Promise<Map<string, Word>> {
  const words = new Map<string, Word>();
  for (const { number, carrier } of stored) {
    const scans = await scansOf(sandboxUrl, carrierOf(carrier), number);
    words.set(number, { subStatus: endOf(number), scans: [...new Set(scans)] });
  }
  return words;
}

const EVERY_MS = 500;

type Settling = { postgres: Pick<World['postgres'], 'directUrl'>; receivers: Pick<World['receivers'], 'pushes'> };

/**
 * Waits until every journey has ended and nothing is pending, or until nothing has changed for `patienceSeconds`.
 * @returns what is unfinished then.
 */
export async function settle(
  { postgres, receivers }: Settling,
  patienceSeconds: number,
): Promise<{ parcels: number; deliveries: number }> {
  let last = '';
  let movedAt = performance.now();
  for (; ; await delay(EVERY_MS)) {
    const parcels = await rowsOf<{ number: string; state: string }>(
      postgres.directUrl,
      'SELECT tracking_number AS number, sub_status AS state FROM trackings',
    );
    const [pending] = await rowsOf<{ count: number }>(
      postgres.directUrl,
      "SELECT count(*)::int AS count FROM deliveries WHERE state = 'owed'",
    );
    const left = {
      parcels: parcels.filter(({ number, state }) => state !== endOf(number)).length,
      deliveries: pending?.count ?? 0,
    };
    if (left.parcels === 0 && left.deliveries === 0) return left;
    const now = `${left.parcels} ${left.deliveries} ${receivers.pushes.length}`;
    if (now !== last) movedAt = performance.now();
    last = now;
    if (performance.now() - movedAt > patienceSeconds * 1000) return left;
  }
}
