import express, { type RequestHandler, type Response, type Router } from 'express';
import type { Ask } from '../carrier.ts';
import { untilGone } from '../until-gone.ts';
import { type Count, meter } from './meter.ts';
import { doorkeeper } from './oauth.ts';
import type { Registrations } from './registrations.ts';
import type { Registry, Reply, Wire, WireRoute } from './wire.ts';

/** Providers accept up to a few dozen numbers per call. */
const LONGEST_BODY = '256kb';

/** One per request and route: a body is read in the route's format, whatever its content type. */
const BODIES: Record<NonNullable<WireRoute['body']>, RequestHandler> = {
  json: express.json({ limit: LONGEST_BODY, strict: false, type: () => true }),
  form: express.urlencoded({ limit: LONGEST_BODY, extended: false, type: () => true }),
  text: express.text({ limit: LONGEST_BODY, type: () => true }),
};

export type Played = { router: Router; counts(): Record<string, Count> };

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
): Played {
  const router = express.Router();
  const counts: Record<string, Count> = {};
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
function counted(registry: Registry, count: Count): Registry {
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
    remove: (number) => {
      const isRemoved = registry.remove(number);
      if (isRemoved) count.released += 1;
      return isRemoved;
    },
  };
}

type Stage = { ask: Ask; nowMs(): number; isWithinLimit(): boolean; count: Count; registry: Registry };

function play(wire: Wire, { ask, nowMs, isWithinLimit, count, registry }: Stage): Router {
  const router = express.Router();
  const { oauth, isKnown = () => true } = wire;
  const keeper = oauth && doorkeeper(oauth, nowMs);
  if (oauth && keeper) {
    const body = BODIES[oauth.style === 'json' ? 'json' : 'form'];
    router.post(oauth.path, body, (req, res) => {
      count.tokens += 1;
      send(res, keeper.answer(req));
    });
  }
  for (const { method, path, body, run } of wire.routes) {
    const parsers = body ? [BODIES[body]] : [];
    router[method](path, ...parsers, async (req, res) => {
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
  else if ('xml' in reply) res.type('text/xml').set(reply.headers).send(reply.xml);
  else res.type('html').set(reply.headers).send(reply.html);
}
