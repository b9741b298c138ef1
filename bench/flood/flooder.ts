import { type ChildProcess, fork } from 'node:child_process';
import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { hostileTargets, type Sent, type Target } from './flood-bodies.ts';
import { type Known, limitsMix } from './limits-mix.ts';

const FLOODER_FLAG = '--as-the-flooder';

/** A stream is closed after this time, which frees its place for the next. */
const LEAVE_MS = 1500;

/** What a flooder sends: the worst bodies to some operations, or all that its limits allow. */
export type Flood = { url: string; key: string } & ({ hostile: readonly string[] } | { mixFor: readonly Known[] });

/** Requests so far, and those that were answered in time and not with 429. */
export type Served = { sent: number; answered: number };

/** A process that floods between the messages `start` and `stop`, and then says how it was `Served`. */
export function startFlooder(flood: Flood): ChildProcess {
  return fork(fileURLToPath(import.meta.url), [FLOODER_FLAG, JSON.stringify(flood)]);
}

/** Sends the requests of a malicious account that stays within its limits; runs in a separate process. */
export function runFlooder(): boolean {
  const [, , flag, given = ''] = process.argv;
  if (flag !== FLOODER_FLAG) return false;
  const flood = JSON.parse(given) as Flood;
  // Elsewhere, it would have processors of its own.
  setPriority(constants.priority.PRIORITY_LOW);
  const agent = new Agent({ keepAlive: true });
  // Each round continues where the last one ended, so that all bodies are sent.
  const all = targetsOf(flood).map((target) => ({ ...target, turn: 0 }));
  const served: Served = { sent: 0, answered: 0 };
  let timers: NodeJS.Timeout[] = [];
  process.on('disconnect', () => process.exit());
  process.on('message', (message) => {
    for (const timer of timers.splice(0)) clearInterval(timer);
    if (message === 'stop') return void process.send?.(served);
    timers = all.map((target) => {
      const { perSecond, requests } = target;
      return setInterval(() => {
        const make = requests[target.turn++ % requests.length];
        if (make) send(flood, agent, make(), served);
      }, 1000 / perSecond);
    });
  });
  return true;
}

function targetsOf(flood: Flood): Target[] {
  if ('mixFor' in flood) return limitsMix(flood.mixFor);
  return hostileTargets().filter(({ name }) => flood.hostile.includes(name));
}

function send({ url, key }: Flood, agent: Agent, given: Sent, served: Served): void {
  const { method = 'POST', path, headers, body } = given;
  const length = body === undefined ? {} : { 'Content-Length': body.length };
  const sent = request(`${url}${path}`, { method, agent, headers: { 'X-API-Key': key, ...length, ...headers } });
  const leave = setTimeout(() => sent.destroy(), LEAVE_MS);
  served.sent += 1;
  sent.on('error', () => {});
  sent.on('close', () => clearTimeout(leave));
  sent.on('response', (response) => {
    if (response.statusCode !== 429) served.answered += 1;
    response.on('error', () => {}).resume();
  });
  sent.end(body);
}
