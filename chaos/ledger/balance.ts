import type { Delivery, Discrepancy, Facts, Push } from './facts.ts';

/**
 * Compares what merchants, carriers and receivers recorded with the state of the service.
 * @returns empty if it balances.
 */
export function balance(facts: Facts): Discrepancy[] {
  return [checkStored, checkCharged, checkFinalStates, checkEvents, checkFeed, checkAttempts].flatMap((check) =>
    check(facts),
  );
}

/**
 * An accepted number is stored once, under the returned id; one without a response, or that a failover lost, at most
 * once.
 */
function checkStored({ registrations, stored, lost }: Facts): Discrepancy[] {
  const lostNumbers = new Set([...lost.parcels.values()].map(({ account, number }) => `${account} ${number}`));
  const found: Discrepancy[] = [];
  const byNumber = groupBy(stored, ({ account, number }) => `${account} ${number}`);
  for (const { account, number, outcome, ids, refusal } of registrations) {
    const rows = byNumber.get(`${account} ${number}`) ?? [];
    const names = rows.map(({ id }) => id).join(', ') || 'none';
    if (outcome === 'refused') found.push({ promise: 'a valid number is accepted', about: `${number}: ${refusal}` });
    const isLost = lostNumbers.has(`${account} ${number}`);
    if (outcome === 'accepted' && !isLost && rows.length !== 1)
      found.push({ promise: 'an accepted number is stored once', about: `${number}: ${names}` });
    if ((outcome === 'unknown' || isLost) && rows.length > 1)
      found.push({ promise: 'a number without an answer is stored at most once', about: `${number}: ${names}` });
    for (const id of new Set(ids.filter((each) => !lost.parcels.has(each) && !rows.some((row) => row.id === each))))
      found.push({ promise: 'the id that was answered is stored', about: `${number}: ${id}, stored: ${names}` });
  }
  const known = new Set(registrations.map(({ account, number }) => `${account} ${number}`));
  for (const { id, account, number } of stored)
    if (!known.has(`${account} ${number}`))
      found.push({ promise: 'only what was sent is stored', about: `${number} ${id}` });
  return found;
}

/** One unit for each stored parcel, whatever was retried. */
function checkCharged({ charged, stored, endpoints }: Facts): Discrepancy[] {
  const accounts = new Set([...charged.keys(), ...endpoints.map(({ account }) => account)]);
  return [...accounts].flatMap((account) => {
    const parcels = stored.filter((row) => row.account === account).length;
    const units = charged.get(account) ?? 0;
    if (units === parcels) return [];
    return [
      { promise: 'each parcel is charged once', about: `account ${account}: ${units} units, ${parcels} parcels` },
    ];
  });
}

function checkFinalStates({ stored, shown, carrier }: Facts): Discrepancy[] {
  return stored.flatMap(({ id, number }) => {
    const [ours, theirs] = [shown.get(id), carrier.get(number)];
    const about = `${number} ${id}`;
    if (!theirs) return [{ promise: 'the carrier knows the number', about }];
    if (!ours) return [{ promise: 'the API shows the parcel', about }];
    const found: Discrepancy[] = [];
    if (ours.subStatus !== theirs.subStatus)
      found.push({
        promise: "the final state is the carrier's",
        about: `${about}: ${ours.subStatus}, carrier: ${theirs.subStatus}`,
      });
    const [missing, invented] = [lacking(theirs.scans, ours.scans), lacking(ours.scans, theirs.scans)];
    if (missing.length > 0) found.push({ promise: 'no scan is missing', about: `${about}: ${missing.join('; ')}` });
    if (invented.length > 0) found.push({ promise: 'no scan is invented', about: `${about}: ${invented.join('; ')}` });
    return found;
  });
}

function lacking(wanted: readonly string[], there: readonly string[]): string[] {
  return wanted.filter((scan) => !there.includes(scan));
}

/** Every event of a parcel reached every endpoint of its account, signed; none was invented or sent under two ids. */
function checkEvents(facts: Facts): Discrepancy[] {
  return [
    ...checkMessages(facts),
    ...checkSignatures(facts),
    ...checkArrivals(facts),
    ...checkNumbers(facts),
    ...checkRepeats(facts),
  ];
}

/**
 * A parcel with `seq` 5 has emitted the events 1 to 5, each once. In a later epoch, it may go on from the floor of
 * that.
 */
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
 * Known without the database: a receiver that lets the higher `seq` win ends with the end of a parcel, also if it got
 * events that a failover lost; and its delivery is reported once to each endpoint.
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

/**
 * The delivery log numbers the attempts of each delivery 1, 2, 3 …, ends with its success, and agrees with the
 * receivers.
 */
function checkAttempts({ deliveries, pushes, endpoints, lost }: Facts): Discrepancy[] {
  const paths = new Map(endpoints.map(({ webhookId, path }) => [webhookId, path]));
  const received = groupBy(pushes, ({ endpoint, messageId, attempt }) => `${endpoint} ${messageId} ${attempt}`);
  const found: Discrepancy[] = [];
  const isLost = (messageId: string) => lost.messages.has(messageId) || lost.unlogged.has(messageId);
  const logged = new Set<string>();
  for (const delivery of deliveries) {
    const path = paths.get(delivery.webhookId) ?? delivery.webhookId;
    const about = `delivery ${delivery.id} of ${delivery.messageId} to ${path}`;
    found.push(...checkLog(delivery, about));
    for (const { attempt, statusCode } of delivery.log) {
      const key = `${path} ${delivery.messageId} ${attempt}`;
      logged.add(key);
      const answers = (received.get(key) ?? []).map(({ answered }) => answered);
      if (statusCode === 0 || answers.includes(statusCode)) continue;
      const seen = answers.join(', ') || 'nothing';
      found.push({
        promise: 'the log says what receivers answered',
        about: `${about}, attempt ${attempt}: ${statusCode}, receiver: ${seen}`,
      });
    }
  }
  for (const [key, [push]] of received)
    if (!logged.has(key) && !isLost(push?.messageId ?? ''))
      found.push({ promise: 'every attempt is in the log', about: key });
  return found;
}

function checkLog({ state, attempts, log }: Delivery, about: string): Discrepancy[] {
  const numbers = log.map(({ attempt }) => attempt);
  const found: Discrepancy[] = [];
  if (state !== 'delivered') found.push({ promise: 'every delivery succeeds', about: `${about}: ${state}` });
  if (numbers.length !== attempts || !numbers.every((attempt, n) => attempt === n + 1))
    found.push({ promise: 'attempts are numbered 1 to n', about: `${about}: ${numbers.join(' ')} of ${attempts}` });
  const successes = log.filter(({ statusCode }) => statusCode >= 200 && statusCode < 300).length;
  if (state === 'delivered' && (successes !== 1 || !isSuccess(log.at(-1)?.statusCode ?? 0)))
    found.push({
      promise: 'the last attempt succeeds, and no other',
      about: `${about}: ${log.map(({ statusCode }) => statusCode).join(' ')}`,
    });
  return found;
}

const isSuccess = (statusCode: number) => statusCode >= 200 && statusCode < 300;

/**
 * A reader of the feed gets every event that is stored in the end, whatever happened to the server that it read from.
 */
export function checkFeed({ feeds, messages, stored }: Facts): Discrepancy[] {
  const parcels = new Map(stored.map((parcel) => [parcel.id, parcel]));
  return feeds.flatMap(({ account, path, seen, refusals }) => [
    ...refusals.map((text) => ({ promise: 'the feed goes on from its cursors', about: `${path}: ${text}` })),
    ...messages.flatMap(({ id, trackingId, seq }) => {
      const parcel = parcels.get(trackingId);
      if (parcel?.account !== account || seen.has(id)) return [];
      return [{ promise: 'every event is in the feed', about: `${path}: ${id}, event ${seq} of ${parcel.number}` }];
    }),
  ]);
}

/** Groups items by a key, in their order. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
