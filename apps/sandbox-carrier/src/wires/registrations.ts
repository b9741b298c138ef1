import type { FirstRequests } from '../first-requests.ts';
import { journey } from '../journeys/journey.ts';
import { nextChangeAt } from '../journeys/next-change.ts';
import { storyOf } from '../journeys/stories.ts';
import { postCallback } from '../post-callback.ts';
import type { CallbackMessage, Registry, Wire } from './wire.ts';

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

export type RegistrationDeps = {
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
