import type { Discrepancy, Facts, Push } from './facts.ts';
import { groupBy } from './group.ts';

/** Every event of a parcel reached every endpoint of its account, signed; none was invented or sent under two ids. */
export function checkEvents(facts: Facts): Discrepancy[] {
  return [
    ...checkMessages(facts),
    ...checkSignatures(facts),
    ...checkArrivals(facts),
    ...checkNumbers(facts),
    ...checkRepeats(facts),
  ];
}

/** A parcel with `seq` 5 has emitted the events 1 to 5, each once. In a later epoch, it may go on from the floor of that. */
function checkMessages({ stored, messages, seqFloors }: Facts): Discrepancy[] {
  const byParcel = groupBy(messages, ({ trackingId }) => trackingId);
  return stored.flatMap(({ id, number, seq }) => {
    const seqs = (byParcel.get(id) ?? []).map((message) => message.seq).sort((a, b) => a - b);
    const goesOn = (each: number, n: number) => each === (seqs[n - 1] ?? 0) + 1 || seqFloors.has(each - 1);
    if ((seqs.at(-1) ?? 0) === seq && new Set(seqs).size === seqs.length && seqs.every(goesOn)) return [];
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
  return [...found, ...checkOutcomes(accepted, facts, carrier)];
}

/** A number of a parcel means one state, whichever server gave it: a receiver keeps one of those that have the same. */
function checkNumbers({ pushes }: Facts): Discrepancy[] {
  return [...groupBy(pushes, ({ trackingId, seq }) => `event ${seq} of ${trackingId}`)].flatMap(([about, same]) => {
    const ids = new Set(same.map(({ messageId }) => messageId));
    if (ids.size === 1) return [];
    return [{ promise: 'a number of a parcel means one state', about: `${about}: ${[...ids].join(', ')}` }];
  });
}

/** A fault may repeat a push, once from each process that cannot store it; it does not leave again and again. */
const MAX_REPEATS = 4;

function checkRepeats({ pushes }: Facts): Discrepancy[] {
  const accepted = pushes.filter(({ answered }) => answered >= 200 && answered < 300);
  return [...groupBy(accepted, ({ endpoint, messageId }) => `${messageId} to ${endpoint}`)].flatMap(([about, same]) =>
    same.length <= 1 + MAX_REPEATS
      ? []
      : [{ promise: 'a push is not repeated without end', about: `${about}: ${same.length} times` }],
  );
}

/**
 * Known without the database: a receiver that lets the higher `seq` win ends with the end of a parcel, also if it got events that
 * a failover lost; and its delivery is reported once to each endpoint.
 */
function checkOutcomes(accepted: readonly Push[], facts: Facts, carrier: Facts['carrier']): Discrepancy[] {
  const emitted = new Set(facts.messages.map(({ id }) => id));
  const byParcel = groupBy(accepted, ({ endpoint, trackingId }) => `${endpoint} ${trackingId}`);
  return facts.stored.flatMap(({ id, number, account }) =>
    facts.endpoints
      .filter((endpoint) => endpoint.account === account)
      .flatMap(({ path }) => {
        const got = byParcel.get(`${path} ${id}`) ?? [];
        const end = carrier.get(number)?.subStatus;
        let kept: Push | undefined;
        for (const push of got) if (kept === undefined || push.seq > kept.seq) kept = push;
        const deliveries = new Set(
          got
            .filter(({ event, messageId }) => event === 'tracking_delivered' && emitted.has(messageId))
            .map((push) => push.messageId),
        );
        const about = `${number} ${id} to ${path}`;
        const wanted = end === 'delivered' ? 1 : 0;
        return [
          ...(kept?.subStatus === end
            ? []
            : [
                {
                  promise: 'a receiver that keeps the higher number has the end',
                  about: `${about}: ${kept?.subStatus}, carrier: ${end}`,
                },
              ]),
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
