import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { createCarrier, type Wait } from './carrier.ts';
import { frontPage, storyCards } from './describe.ts';
import type { FirstRequests } from './first-requests.ts';
import { type Kuaidi100Account, kuaidi100, kuaidi100Poll } from './kuaidi100/kuaidi100.ts';
import { createSubscriptions, type Kuaidi100Subscriptions } from './kuaidi100/subscriptions.ts';
import { type Log, silent } from './log.ts';
import { track } from './track.ts';
import { waitOrLeave } from './until-gone.ts';

import { meter, playWires, WIRES } from './wires/play.ts';
import { createRegistrations, type Registrations } from './wires/registrations.ts';

export type SandboxDeps = {
  /** How many seconds of a script pass in one second. */
  speed: number;
  now(): Date;
  /** When each number was first queried. */
  state: FirstRequests;
  kuaidi100: Kuaidi100Account;
  /** Whether the wires refuse calls beyond the limits that their providers document; they do by default. */
  rateLimits?: boolean;
  /** Its subscriptions; without them, it sends no callbacks. */
  subscriptions?: Kuaidi100Subscriptions;
  /** The numbers that are registered with its aggregators; without them, it sends no callbacks. */
  registrations?: Registrations;
  /** How delayed answers wait; in real time by default. */
  wait?: Wait;
  log?: Log;
  /** The longest stall of the process in milliseconds: calls that arrive during it are counted together after it. */
  stalledMs?(): number;
  /** Logs every request; off, because the sandbox also serves benchmarks. */
  logRequests?: boolean;
};

/** The sandbox carrier as an express app. */
export function createSandboxApp(deps: SandboxDeps): Express {
  const { log = silent, wait = waitOrLeave, rateLimits: hasLimits = true } = deps;
  const { subscriptions = createSubscriptions(deps), registrations = createRegistrations(deps, WIRES) } = deps;
  const ask = createCarrier({ ...deps, wait });
  // Limits use real time, whatever the clock of the journeys says.
  const wires = playWires(WIRES, { ask, hasLimits, nowMs: () => performance.now(), registrations });
  const others = { kuaidi100: countOnly(), sandbox: countOnly() };
  const app = express();
  app.disable('x-powered-by').disable('etag');
  if (deps.logRequests) app.use(logRequest(log));

  app.get('/healthz', (_req, res) => void res.json({ status: 'ok', longest_stall_ms: deps.stalledMs?.() ?? 0 }));
  app.get('/', (_req, res) => void res.type('text/plain').send(frontPage(deps.speed)));
  app.get('/stories', (_req, res) => void res.json({ speed: deps.speed, stories: storyCards() }));
  app.get('/calls', (_req, res) => {
    const counts = Object.entries(others).map(([name, { count }]) => [name, count]);
    res.json({ ...wires.counts(), ...Object.fromEntries(counts) });
  });
  app.use(['/track', '/kuaidi100'], (req, _res, next) => {
    others[req.baseUrl === '/track' ? 'sandbox' : 'kuaidi100'].admits();
    next();
  });
  app.post('/track', express.json({ limit: '256kb' }), track(ask));
  app.post(
    '/kuaidi100/poll/query.do',
    express.urlencoded({ extended: false, limit: '64kb' }),
    kuaidi100(ask, deps.kuaidi100),
  );
  app.post(
    '/kuaidi100/poll',
    express.urlencoded({ extended: false, limit: '64kb' }),
    kuaidi100Poll(subscriptions, deps.kuaidi100),
  );
  app.use(wires.router);
  app.use(
    (_req, res) =>
      void res.status(404).json({ error: { code: 'not_found', message: 'Not found. GET / describes the routes.' } }),
  );
  app.use(toError(log));
  return app;
}

/** Counts calls of a provider that documents no limit. */
function countOnly() {
  return meter({ calls: Number.MAX_SAFE_INTEGER, seconds: 1 }, () => performance.now());
}

function logRequest(log: Log): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    const { method, path } = req;
    res.once('close', () => {
      const durationMs = Math.round(performance.now() - startedAt);
      log('debug', 'request', { method, path, status: res.statusCode, finished: res.writableFinished, durationMs });
    });
    next();
  };
}

/** An unreadable body is the caller's fault and gets its status; any other error is ours. */
function toError(log: Log): ErrorRequestHandler {
  return (error, _req, res, next) => {
    if (res.headersSent) return next(error);
    const status = typeof error?.status === 'number' && error.status < 500 ? error.status : 500;
    if (status === 500) log('error', 'request failed', { error: String(error?.stack ?? error) });
    const message = status === 500 ? 'Internal error in the sandbox carrier.' : 'The request body is invalid.';
    res.status(status).json({ error: { code: status === 500 ? 'internal' : 'bad_request', message } });
  };
}
