import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Registration } from '../ledger/facts.ts';
import { type Random, seeded } from '../plan.ts';
import type { Replica } from '../world/replica.ts';
import { createParcels, type Parcel } from './parcels.ts';

export type Merchant = { account: string; apiKey: string };

type Entry = Registration & { apiKey: string; parcel: Parcel };

/** For a rate of one registration a second. */
const EVERY_MS = { register: 1000, read: 400, retrack: 2000 };
/** Some merchants give up early: the outcome of their request stays unknown. */
const MAX_TRIES = [1, 4, 4, 6] as const;
const RETRY_MS = 700;

/**
 * A steady load: registrations, reads and retracks of some merchants.
 * @param rate registrations per second; reads and retracks follow it.
 */
export function startLoad(call: Call, merchants: readonly Merchant[], { seed, rate }: { seed: number; rate: number }) {
  const random = seeded(seed);
  const newParcel = createParcels(random);
  const entries: Entry[] = [];
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // every merchant that waits to try again
  const run = (work: () => Promise<void>) => {
    const running = work().finally(() => underWay.delete(running));
    underWay.add(running);
  };
  const newEntries = (count: number): Entry[] => {
    const { account, apiKey } = random.pick(merchants);
    const made = Array.from({ length: count }, () => newParcel()).map((parcel): Entry => {
      return { account, apiKey, parcel, number: parcel.tracking_number, outcome: 'unknown', ids: [] };
    });
    entries.push(...made);
    return made;
  };
  const accepted = () => entries.filter(({ outcome }) => outcome === 'accepted').slice(-40);
  const timers = [
    setInterval(() => run(() => register(call, newEntries, random, stopping.signal)), EVERY_MS.register / rate),
    setInterval(() => run(() => read(call, accepted(), random)), EVERY_MS.read / rate),
    setInterval(() => run(() => retrack(call, accepted(), random)), EVERY_MS.retrack / rate),
  ];
  const registrations: readonly Registration[] = entries;
  return {
    registrations,
    /** Resolves when the requests in flight have ended. */
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      stopping.abort();
      await Promise.all(underWay);
    },
  };
}

/**
 * Registers one or several numbers, in one of the possible ways, until there is a response or the merchant gives up.
 */
async function register(
  call: Call,
  newEntries: (count: number) => Entry[],
  random: Random,
  stopping: AbortSignal,
): Promise<void> {
  const way = random.pick(['create', 'create', 'create', 'batch', 'async'] as const);
  const entries = newEntries(way === 'create' ? 1 : random.between(2, 3));
  const tries = random.pick(MAX_TRIES);
  const [first] = entries;
  if (!first) return;
  const parcels = entries.map(({ parcel }) => parcel);
  const bodies = { create: first.parcel, batch: parcels, async: { trackings: parcels } };
  const paths = { create: '/trackings/create', batch: '/trackings/batch', async: '/track/async' };
  for (let tried = 1; tried <= tries && !stopping.aborted; tried++) {
    const answer = await call('POST', paths[way], first.apiKey, bodies[way]);
    if (answer.kind === 'answered' && answer.status < 500) return note(entries, answer);
    await delay(RETRY_MS, undefined, { signal: stopping }).catch(() => {});
  }
}

type Created = { id: string; tracking_number: string };
type Registered = { id?: string; success?: Created[]; error?: { tracking_number: string; errorMessage: string }[] };

function note(entries: readonly Entry[], answer: Extract<Answer, { kind: 'answered' }>): void {
  const data = answer.data as Registered;
  for (const entry of entries) {
    const id = data.id ?? data.success?.find((each) => each.tracking_number === entry.number)?.id;
    const fault = data.error?.find((each) => each.tracking_number === entry.number)?.errorMessage;
    const refusal = answer.code === 200 ? fault : `${answer.code} ${JSON.stringify(answer.data)}`;
    entry.outcome = refusal === undefined ? 'accepted' : 'refused';
    if (refusal !== undefined) entry.refusal = refusal;
    if (id !== undefined) entry.ids.push(id);
  }
}

async function read(call: Call, accepted: readonly Entry[], random: Random): Promise<void> {
  if (accepted.length === 0) return;
  const { apiKey, number } = random.pick(accepted);
  await call(
    'GET',
    random.pick([`/trackings/get?tracking_numbers=${number}`, '/shipments?limit=20', '/account']),
    apiKey,
  );
}

/** Also registers the number once more, like an unsure merchant: that costs nothing. */
async function retrack(call: Call, accepted: readonly Entry[], random: Random): Promise<void> {
  if (accepted.length === 0) return;
  const { apiKey, parcel, ids, ...entry } = random.pick(accepted);
  const again = await call('POST', '/trackings/create', apiKey, parcel);
  if (again.kind === 'answered' && again.code === 200) ids.push((again.data as Created).id);
  await call('POST', '/trackings/retrack', apiKey, { tracking_number: entry.number });
}

type Answer = { kind: 'answered'; status: number; code: number; data: unknown } | { kind: 'none'; reason: string };
export type Call = (method: 'GET' | 'POST', path: string, apiKey: string, body?: unknown) => Promise<Answer>;

/** Where calls are sent to. */
type Target = Pick<Replica, 'url'>;

/** How long a caller waits. */
const TIMEOUT_MS = 8000;
/** A replica that failed is not used for this long, if there is another. */
const AVOID_MS = 3000;

/**
 * Spreads calls over the replicas like a proxy: a replica that failed is avoided for a while, and a call whose
 * connection failed is tried at the next one. Each call is reported once.
 * @param replicas may change.
 */
export function createBalancer(
  replicas: readonly Target[],
  report: (at: number, failure: string | null) => void,
): Call {
  const avoidedUntil = new Map<Target, number>();
  let turn = 0;
  const next = (but?: Target) => {
    turn += 1;
    const inOrder = replicas.map((_, n) => replicas[(turn + n) % replicas.length] as Target);
    const others = inOrder.filter((replica) => replica !== but);
    return others.find((replica) => (avoidedUntil.get(replica) ?? 0) < performance.now()) ?? others[0] ?? inOrder[0];
  };
  const callAt = async (replica: Target, ...call: Parameters<Call>): Promise<Answer> => {
    const answer = await send(replica.url, ...call);
    if (answer.kind === 'none' || answer.status >= 500) avoidedUntil.set(replica, performance.now() + AVOID_MS);
    return answer;
  };
  return async (...call) => {
    const replica = next();
    if (!replica) throw new Error('there is no replica');
    const at = performance.now();
    let answer = await callAt(replica, ...call);
    const other = next(replica);
    if (answer.kind === 'none' && answer.reason !== 'timeout' && other) answer = await callAt(other, ...call);
    report(at, failureOf(answer));
    return answer;
  };
}

function failureOf(answer: Answer): string | null {
  if (answer.kind === 'none') return answer.reason;
  return answer.status < 500 ? null : String(answer.status);
}

async function send(url: string, ...[method, path, apiKey, body]: Parameters<Call>): Promise<Answer> {
  try {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { code, data } = (await response.json()) as { code: number; data: unknown };
    return { kind: 'answered', status: response.status, code, data };
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    return { kind: 'none', reason: isTimeout ? 'timeout' : 'no connection' };
  }
}
