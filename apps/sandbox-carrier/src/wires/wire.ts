import type { Request } from 'express';
import type { CarrierQuestion } from '../carrier.ts';
import type { FirstRequests } from '../first-requests.ts';
import { postCallback } from '../http.ts';
import { type JourneyScan, journey, nextChangeAt, type Refusal, type Says } from '../journey.ts';
import { storyOf } from '../stories.ts';
import type { StoryLanguage } from '../story.ts';

/** The response of a wire. `headers` may overwrite the content type. */
export type Reply = { status?: number; headers?: Readonly<Record<string, string>> } & (
  | { json: unknown }
  | { html: string }
);

/** Queries numbers at the carrier behind all wires, in one call. */
type WireAsk = (questions: readonly CarrierQuestion[], language?: StoryLanguage) => Promise<Says[]>;

type WireRoute = {
  method: 'get' | 'post';
  /** Below the wire's own path; `:name` is a parameter, as in express. */
  path: string;
  run(request: Request, ask: WireAsk, registry: Registry): Promise<Reply> | Reply;
};

/** The numbers that are registered with an aggregator. */
export type Registry = {
  /** @returns false if it is already registered. */
  add(number: string, carrier?: string): boolean;
  /** The carrier that a number was registered with, '' without one; null for a number that is not registered. */
  carrierOf(number: string): string | null;
  /** Whether a registered number is watched: only then does its news cause callbacks. */
  isWatched(number: string): boolean;
  /** Stops watching a registered number, or watches it again. @returns false if that changes nothing. */
  setWatched(number: string, isWatched: boolean): boolean;
  /** How often a number has been watched again after a stop. */
  restartsOf(number: string): number;
};

/** A number about which an aggregator has news. */
type RegisteredNumber = { number: string; carrier: string; scans: readonly JourneyScan[] };

export type CallbackMessage = { headers: Readonly<Record<string, string>>; body: string };

/** The token endpoint of a wire: OAuth 2 client credentials, sent with HTTP Basic and a form. */
export type OAuthDoor = {
  path: string;
  clientId: string;
  clientSecret: string;
  lifeSeconds: number;
  /** The documented answer to wrong credentials. */
  refused: Reply;
  /** The documented answer with a token. */
  granted(token: string, lifeSeconds: number): unknown;
};

/**
 * The API of a provider as the sandbox carrier plays it, under `/<name>`: its paths, its errors, its keys and its
 * limit, from the journeys of the sandbox. Keys are those that `playedBySandbox` of the provider's manifest gives.
 */
export type Wire = {
  /** The name of the provider. */
  name: string;
  /** The documented limit; calls beyond it are answered with `tooMany`. Requests for tokens do not count. */
  limit: { calls: number; seconds: number };
  /** How it issues tokens; then every route requires one as Bearer. */
  oauth?: OAuthDoor;
  /** Whether the key of a request is valid; not for `oauth`. */
  isKnown?(request: Request): boolean;
  /** The documented answer to a wrong key or token. */
  refused: Reply;
  tooMany: Reply;
  routes: readonly WireRoute[];
  /** Seconds for which a registered number has callbacks; then it must be registered again. Absent: no limit. */
  lapseSeconds?: number;
  /** Its callback when a registered number has news; absent if it sends none. */
  callback?(found: RegisteredNumber): CallbackMessage;
};

/** A possible answer of a carrier in trouble under any path, with status 200. */
const GARBAGE: Reply = { html: '<!doctype html><html><body><h1>Down for maintenance</h1></body></html>' };

/**
 * A number that was found: its scans (oldest first), and the number that the answer names, which a story may mix up.
 */
export type FoundNumber = { number: string; scans: readonly JourneyScan[] };

/** How a wire formats the carrier's answer about one number. */
type Writer = {
  found(found: FoundNumber): Reply;
  notFound: Reply;
  /** The documented error with this status: 400 for a number that cannot exist, 429, 500. */
  problem(status: 400 | 429 | 500, message: string): Reply;
};

/** The answer of a wire with one number per call. */
export function replyAbout(number: string, says: Says | undefined, writer: Writer): Reply {
  if (says === undefined) return writer.problem(500, 'No answer.');
  if (says.kind === 'found') return writer.found({ number: says.otherNumber ?? number, scans: says.scans });
  return says.kind === 'not_found' ? writer.notFound : replyToRefusal(says, writer.problem);
}

/** The answer to a call that the carrier refuses, in the wire's format. */
export function replyToRefusal(refusal: Refusal, problem: Writer['problem']): Reply {
  switch (refusal.failure) {
    case 'rate_limited':
      return { ...problem(429, refusal.message), headers: { 'retry-after': String(refusal.retryAfterSeconds ?? 10) } };
    case 'unreadable':
      return GARBAGE;
    case 'transient':
      return problem(500, refusal.message);
    case 'invalid_number':
    case 'needs_input':
      return problem(400, refusal.message);
    default:
      return refusal.failure satisfies never;
  }
}

/** From the answers to a call with several numbers, the one that fails the whole call, like trouble of a server. */
export function failureOfCall(says: readonly Says[]): Refusal | undefined {
  const isOfCall = (each: Says): each is Refusal =>
    each.kind === 'failed' && each.failure !== 'invalid_number' && each.failure !== 'needs_input';
  return says.find(isOfCall);
}

/** An instant on the clocks of a zone: `2031-05-01`, `08:02:03` and `+02:00`. */
type LocalTime = { date: string; time: string; offset: string };

/** Carriers write local times; the sandbox stores instants. */
export function inZone(instant: Date, zone: string): LocalTime {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  }).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? '';
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}:${part('second')}`,
    offset: part('timeZoneName').replace('GMT', '') || '+00:00',
  };
}

/** Posts a callback. @returns whether the receiver accepted it, with any 2xx. */
type SendMessage = (target: string, message: CallbackMessage, signal: AbortSignal) => Promise<boolean>;

const sendMessage: SendMessage = async (target, { headers, body }, signal) => {
  const answer = await postCallback(
    target,
    { headers: { 'content-type': 'application/json', ...headers }, body },
    signal,
  );
  return answer?.isOk === true;
};

/** The numbers that are registered with the aggregators' accounts, in memory, and their callbacks. */
export type Registrations = {
  /** The registrations of one wire. */
  of(wire: string): Registry;
  /** Sends callbacks about what has become visible since the last one; for a timer. */
  tick(): Promise<void>;
  /** Aborts callbacks in flight, and starts no more. */
  close(): void;
};

type RegistrationDeps = {
  speed: number;
  now(): Date;
  state: FirstRequests;
  /** By the name of a wire: the address that is set in its account. */
  callbackTargets?: Readonly<Record<string, string>>;
  send?: SendMessage;
};

type Registered = {
  number: string;
  carrier: string;
  accepted: string;
  notBefore: number;
  isSending: boolean;
  isWatched: boolean;
  restarts: number;
  registeredAt: number;
};

/** A callback that was not accepted is repeated after ten minutes. */
const AGAIN_SECONDS = 600;
/** Beyond this many of a wire, the oldest are forgotten. */
const LIMIT = 100_000;

export function createRegistrations(
  { speed, now, state, callbackTargets = {}, send = sendMessage }: RegistrationDeps,
  wires: readonly Wire[],
): Registrations {
  const accounts = new Map(wires.map(({ name }) => [name, new Map<string, Registered>()]));
  const closing = new AbortController();

  function registryOf(wire: string): Registry {
    const numbers = accounts.get(wire) ?? new Map<string, Registered>();
    return {
      isWatched: (number) => numbers.get(number)?.isWatched ?? false,
      restartsOf: (number) => numbers.get(number)?.restarts ?? 0,
      setWatched(number, isWatched) {
        const registered = numbers.get(number);
        if (registered === undefined || registered.isWatched === isWatched) return false;
        registered.isWatched = isWatched;
        if (isWatched) registered.restarts += 1;
        return true;
      },
      carrierOf: (number) => numbers.get(number)?.carrier ?? null,
      add(number, carrier = '') {
        const known = numbers.get(number);
        if (known) {
          known.registeredAt = now().getTime();
          return false;
        }
        state.startsOf([number], now());
        const fresh = { accepted: '', notBefore: 0, isSending: false, isWatched: true, restarts: 0 };
        numbers.set(number, { number, carrier, ...fresh, registeredAt: now().getTime() });
        for (const oldest of numbers.keys()) {
          if (numbers.size <= LIMIT) break;
          numbers.delete(oldest);
        }
        return true;
      },
    };
  }

  async function notify({ callback: write }: Wire, target: string, registered: Registered): Promise<void> {
    const { number, carrier } = registered;
    const [startedAt = now()] = state.startsOf([number], now());
    const story = storyOf(number);
    registered.notBefore = nextChangeAt(story, startedAt, now(), speed);
    const says = journey(number, startedAt, now(), speed, 'en');
    if (!write || says.kind !== 'found') return;
    const text = JSON.stringify(says.scans);
    if (text === registered.accepted) return;
    const { callbackFault } = story;
    const seconds = ((now().getTime() - startedAt.getTime()) / 1000) * speed;
    const isLost = callbackFault?.kind === 'lost' && seconds >= callbackFault.at;
    registered.isSending = true;
    const message = write({ number, scans: says.scans, carrier });
    const isAccepted = isLost || (await send(target, message, closing.signal));
    registered.isSending = false;
    if (isAccepted) registered.accepted = text;
    else registered.notBefore = now().getTime() + (AGAIN_SECONDS * 1000) / speed;
  }

  return {
    of: registryOf,
    async tick() {
      if (closing.signal.aborted) return;
      const at = now().getTime();
      const due = wires.flatMap((wire) => {
        const target = callbackTargets[wire.name];
        const numbers = [...(accounts.get(wire.name)?.values() ?? [])];
        if (target === undefined || !wire.callback) return [];
        const lapsed = at - ((wire.lapseSeconds ?? Number.POSITIVE_INFINITY) * 1000) / speed;
        return numbers
          .filter(({ isSending, isWatched, notBefore }) => isWatched && !isSending && notBefore <= at)
          .filter(({ registeredAt }) => registeredAt > lapsed)
          .map((registered) => notify(wire, target, registered));
      });
      await Promise.all(due);
    },
    close: () => closing.abort(),
  };
}
