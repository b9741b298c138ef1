import { randomBytes } from 'node:crypto';
import express, { type Request, type Response, type Router } from 'express';
import type { Ask } from '../carrier.ts';
import { untilGone } from '../http.ts';
import { track17 } from './17track.ts';
import { ups } from './ups.ts';
import type { OAuthDoor, Registrations, Registry, Reply, Wire } from './wire.ts';

/** Every wire except the sandbox's own and Kuaidi100's: those of the manifests with `playedBySandbox`. */
export const WIRES: readonly Wire[] = [ups, track17];

/**
 * Providers accept up to a few dozen numbers per call. A body is read in its route's format, whatever its content type.
 */
const LIMIT = '256kb';
const readJson = express.json({ limit: LIMIT, strict: false, type: () => true });
const readForm = express.urlencoded({ limit: LIMIT, extended: false, type: () => true });

/** Plays wires for the carrier behind `ask`. Without `hasLimits`, calls are counted but never refused. */
export function playWires(
  wires: readonly Wire[],
  {
    ask,
    hasLimits,
    nowMs,
    registrations,
  }: {
    ask: Ask;
    hasLimits: boolean;
    nowMs(): number;
    registrations: Registrations;
  },
) {
  const router = express.Router();
  const counts: Record<string, PlayedCount> = {};
  for (const wire of wires) {
    const { count, admits } = meter(wire.limit, nowMs);
    counts[wire.name] = count;
    router.use(
      `/${wire.name}`,
      play(wire, {
        ask,
        nowMs,
        count,
        registry: counted(registrations.of(wire.name), count),
        isWithinLimit: () => admits() || !hasLimits,
      }),
    );
  }
  return { router, counts: () => counts };
}

/** Counts the outcomes of registrations. */
function counted(registry: Registry, count: PlayedCount): Registry {
  return {
    ...registry,
    add: (number, carrier) => {
      const isNew = registry.add(number, carrier);
      if (isNew) count.registered += 1;
      return isNew;
    },
    setWatched: (number, isWatched) => {
      const isChanged = registry.setWatched(number, isWatched);
      if (isChanged) count[isWatched ? 'resumed' : 'released'] += 1;
      return isChanged;
    },
  };
}

type Stage = { ask: Ask; nowMs(): number; isWithinLimit(): boolean; count: PlayedCount; registry: Registry };

function play(wire: Wire, { ask, nowMs, isWithinLimit, count, registry }: Stage): Router {
  const router = express.Router();
  const { oauth, isKnown = () => true } = wire;
  const keeper = oauth && doorkeeper(oauth, nowMs);
  if (oauth && keeper) {
    router.post(oauth.path, readForm, (req, res) => {
      count.tokens += 1;
      send(res, keeper.answer(req));
    });
  }
  for (const { method, path, run } of wire.routes) {
    router[method](path, readJson, async (req, res) => {
      if (!(keeper ? keeper.admits(req) : isKnown(req))) return send(res, wire.refused);
      if (!isWithinLimit()) return send(res, wire.tooMany);
      send(res, await run(req, (questions, language) => ask(questions, untilGone(res), language), registry));
    });
  }
  return router;
}

function send(res: Response, reply: Reply): void {
  res.status(reply.status ?? 200);
  if ('json' in reply) res.set(reply.headers).json(reply.json);
  else res.type('html').set(reply.headers).send(reply.html);
}

/**
 * The statistics of a wire: its calls, those beyond its limit, the most within one second, requests for tokens, and the
 * numbers that were registered (which providers charge for), released and resumed.
 */
type PlayedCount = {
  calls: number;
  refused: number;
  maxPerSecond: number;
  tokens: number;
  registered: number;
  released: number;
  resumed: number;
};

/** Calls travel: they may arrive a little closer together than they were made. */
const LEEWAY_MS = 150;

/** Counts the calls of a wire and detects those beyond its limit: a bucket of `calls` that fills within `seconds`. */
export function meter(limit: { calls: number; seconds: number }, nowMs: () => number) {
  const perMs = limit.calls / (limit.seconds * 1000);
  const ofNumbers = { registered: 0, released: 0, resumed: 0 };
  const count: PlayedCount = { calls: 0, refused: 0, maxPerSecond: 0, tokens: 0, ...ofNumbers };
  let recent: number[] = [];
  let level = limit.calls;
  let seenAt = nowMs();
  return {
    count,
    admits: () => {
      const now = nowMs();
      level = Math.min(limit.calls, level + (now - seenAt) * perMs);
      seenAt = now;
      recent = [...recent.filter((at) => at > now - 1000), now];
      count.calls += 1;
      count.maxPerSecond = Math.max(count.maxPerSecond, recent.length);
      const isWithin = level >= 1 - LEEWAY_MS * perMs;
      if (isWithin) level -= 1;
      else count.refused += 1;
      return isWithin;
    },
  };
}

/** The tokens that a wire has issued and still accepts. */
function doorkeeper(door: OAuthDoor, nowMs: () => number) {
  const ends = new Map<string, number>();
  return {
    /** The answer to a request for a token. */
    answer: (request: Request): Reply => {
      if (!areRight(request, door)) return door.refused;
      const token = `sandbox-${randomBytes(24).toString('base64url')}`;
      ends.set(token, nowMs() + door.lifeSeconds * 1000);
      for (const [old, endsAt] of ends) if (endsAt <= nowMs()) ends.delete(old);
      return { json: door.granted(token, door.lifeSeconds) };
    },
    /** Whether a request carries a valid token. */
    admits: ({ headers }: Request) => {
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
      return token !== undefined && (ends.get(token) ?? 0) > nowMs();
    },
  };
}

function areRight({ headers, body }: Request, { clientId, clientSecret }: OAuthDoor): boolean {
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  return body?.grant_type === 'client_credentials' && headers.authorization === basic;
}
