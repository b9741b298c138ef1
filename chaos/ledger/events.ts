import type { Discrepancy, Facts, Push } from './facts.ts';
import { groupBy } from './group.ts';

/** Every event of a parcel reached every endpoint of its account, signed; none was invented or sent under two ids. */
export function checkEvents(facts: Facts): Discrepancy[] {
  return [...checkMessages(facts), ...checkSignatures(facts), ...checkArrivals(facts)];
}

/** A parcel with `seq` 5 has emitted the events 1 to 5, each once. */
function checkMessages({ stored, messages }: Facts): Discrepancy[] {
  const byParcel = groupBy(messages, ({ trackingId }) => trackingId);
  return stored.flatMap(({ id, number, seq }) => {
    const seqs = (byParcel.get(id) ?? []).map((message) => message.seq).sort((a, b) => a - b);
    if (seqs.length === seq && seqs.every((each, n) => each === n + 1)) return [];
    return [{ promise: 'events are numbered 1 to n', about: `${number} ${id}: ${seqs.join(' ') || 'none'} of ${seq}` }];
  });
}

function checkSignatures({ pushes }: Facts): Discrepancy[] {
  return pushes.flatMap(({ endpoint, messageId, attempt, fault }) =>
    fault === null
      ? []
      : [{ promise: 'every push is signed', about: `${messageId} to ${endpoint}, attempt ${attempt}: ${fault}` }],
  );
}

function checkArrivals(facts: Facts): Discrepancy[] {
  const { messages, stored, endpoints, pushes, carrier, lost } = facts;
  const found: Discrepancy[] = [];
  const parcels = new Map(stored.map((parcel) => [parcel.id, parcel]));
  const accepted = pushes.filter(({ fault, answered }) => fault === null && answered >= 200 && answered < 300);
  const arrived = groupBy(accepted, ({ endpoint, messageId }) => `${endpoint} ${messageId}`);
  for (const message of messages)
    for (const { path, account } of endpoints) {
      const parcel = parcels.get(message.trackingId);
      if (parcel?.account !== account || arrived.has(`${path} ${message.id}`)) continue;
      const about = `${message.id} to ${path}: event ${message.seq} of ${parcel.number}`;
      found.push({ promise: 'every event arrives', about });
    }
  const emitted = new Set(messages.map(({ id }) => id));
  for (const messageId of new Set(pushes.map((push) => push.messageId)))
    if (!emitted.has(messageId) && !lost.messages.has(messageId))
      found.push({ promise: 'no event is invented', about: messageId });
  const stillKnown = accepted.filter(({ messageId }) => emitted.has(messageId));
  return [...found, ...checkOutcomes(stillKnown, facts, carrier)];
}

/** Known without the database: the last event of a parcel shows its end, and its delivery is reported once to each endpoint. */
function checkOutcomes(accepted: readonly Push[], facts: Facts, carrier: Facts['carrier']): Discrepancy[] {
  const byParcel = groupBy(accepted, ({ endpoint, trackingId }) => `${endpoint} ${trackingId}`);
  return facts.stored.flatMap(({ id, number, account }) =>
    facts.endpoints
      .filter((endpoint) => endpoint.account === account)
      .flatMap(({ path }) => {
        const got = byParcel.get(`${path} ${id}`) ?? [];
        const end = carrier.get(number)?.subStatus;
        const newest = got.toSorted((a, b) => b.seq - a.seq)[0];
        const deliveries = new Set(
          got.filter(({ event }) => event === 'tracking_delivered').map((push) => push.messageId),
        );
        const about = `${number} ${id} to ${path}`;
        const wanted = end === 'delivered' ? 1 : 0;
        return [
          ...(newest?.subStatus === end
            ? []
            : [{ promise: 'the last event shows the end', about: `${about}: ${newest?.subStatus}, carrier: ${end}` }]),
          ...(deliveries.size === wanted
            ? []
            : [
                { promise: 'a delivery is reported once', about: `${about}: ${[...deliveries].join(', ') || 'never'}` },
              ]),
        ];
      }),
  );
}

/** How often an endpoint got an event again that it had accepted: receivers deduplicate by the id. */
export function countDuplicates(pushes: readonly Push[]): number {
  const accepted = new Set<string>();
  let duplicates = 0;
  for (const { endpoint, messageId, answered } of pushes) {
    const key = `${endpoint} ${messageId}`;
    if (accepted.has(key)) duplicates += 1;
    if (answered >= 200 && answered < 300) accepted.add(key);
  }
  return duplicates;
}
