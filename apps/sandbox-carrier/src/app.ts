import { overallStatus, type ScanStatus } from '@pts/core/tracking/status';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { createCarrier, track, type Wait } from './carrier.ts';
import type { FirstRequests } from './first-requests.ts';
import { type Log, silent, waitOrLeave } from './http.ts';
import {
  createSubscriptions,
  type Kuaidi100Account,
  type Kuaidi100Subscriptions,
  kuaidi100,
  kuaidi100Poll,
} from './kuaidi100.ts';
import { STORIES, STORY_NAMES, type StoryName } from './stories.ts';
import { type Story, type StoryStep, textOf } from './story.ts';
import { meter, playWires, WIRES } from './wires/play.ts';
import { createRegistrations, type Registrations } from './wires/wire.ts';

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

/** A story as a merchant reads it. Seconds are those of speed 1, from the first query for the number. */
type StoryCard = {
  story: StoryName;
  example: string;
  summary: string;
  /** The overall statuses it passes through. */
  statuses: string[];
  ends_as: ScanStatus | 'pending';
  /** Null when nothing ever happens. */
  ends_after_seconds: number | null;
};

/** Every story, described from its own script, so that the list is always right. */
export function storyCards(): StoryCard[] {
  return STORY_NAMES.map((story) => toCard(story, STORIES[story]));
}

function toCard(story: StoryName, { summary, ...rest }: Story): StoryCard {
  const steps = isUsable(rest) ? rest.steps : [];
  const states = steps.filter(isOfThisParcel).map((step) => textOf(step.text).status);
  const statuses = rest.statuses ?? ['查询中', ...states.map((state) => overallStatus(state))];
  return {
    story,
    example: `SBX${story}1`,
    summary,
    statuses: statuses.filter((status, i) => status !== statuses[i - 1]),
    ends_as: rest.endsAs ?? states.at(-1) ?? 'pending',
    ends_after_seconds: steps.at(-1)?.at ?? null,
  };
}

/** Whether the service uses the answers: not if they name another number, or come after its clients have given up. */
export function isUsable({ manner }: Pick<Story, 'manner'>): boolean {
  return manner.kind !== 'about-another-number' && !(manner.kind === 'after' && !manner.spedUp);
}

function isOfThisParcel({ daysBefore }: StoryStep): boolean {
  return daysBefore === undefined;
}

/** The front page, as plain text. */
function frontPage(speed: number): string {
  const rows = storyCards().map(({ example, ends_as, ends_after_seconds, summary }) => {
    const end = ends_after_seconds === null ? '-' : `${ends_after_seconds} s`;
    return `  ${example.padEnd(23)}${ends_as.padEnd(15)}${end.padEnd(7)}${summary}`;
  });
  return [
    'Sandbox carrier: scripted parcel journeys over HTTP. No real parcels.',
    '',
    'Every tracking number has a journey, which starts at the first query. SBX<STORY><digits> plays the',
    `story it names, every other number the default one. Speed: ${speed} (times below are for speed 1).`,
    '',
    '  POST /track                    {"numbers":[{"number":"SBXEXPRESS1","carrier":"sandbox"}]}',
    "  POST /kuaidi100/poll/query.do  Kuaidi100's wire format",
    '  POST /kuaidi100/poll           a subscription there: whole histories are sent to its callbackurl',
    '  GET  /stories                  the list below as JSON',
    '  GET  /healthz',
    '',
    `  ${'number'.padEnd(23)}${'ends as'.padEnd(15)}${'after'.padEnd(7)}story`,
    ...rows,
    '',
  ].join('\n');
}
