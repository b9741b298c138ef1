import type { Replica } from '../world/replica.ts';

export type Answer =
  | { kind: 'answered'; status: number; code: number; data: unknown }
  | { kind: 'none'; reason: string };
export type Call = (method: 'GET' | 'POST', path: string, apiKey: string, body?: unknown) => Promise<Answer>;

/** Where calls are sent to. */
type Target = Pick<Replica, 'url'>;

/** How long a caller waits by default. */
const TIMEOUT_MS = 8000;
/** A replica that failed is not used for this long, if there is another. */
const AVOID_MS = 3000;

/**
 * Spreads calls over the replicas like a proxy: a replica that failed is avoided for a while, and a call whose connection
 * failed is tried at the next one. Each call is reported once.
 * @param replicas may change.
 */
export function createBalancer(
  replicas: readonly Target[],
  report: (at: number, failure: string | null) => void,
  timeoutMs = TIMEOUT_MS,
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
    const answer = await send(replica.url, timeoutMs, ...call);
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

async function send(
  url: string,
  timeoutMs: number,
  ...[method, path, apiKey, body]: Parameters<Call>
): Promise<Answer> {
  try {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { code, data } = (await response.json()) as { code: number; data: unknown };
    return { kind: 'answered', status: response.status, code, data };
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    return { kind: 'none', reason: isTimeout ? 'timeout' : 'no connection' };
  }
}
