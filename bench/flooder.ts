import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';

export const FLOODER_FLAG = '--as-the-flooder';

const KIB = 1024;
const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/x-ndjson';
/** A stream is closed after this time, which frees its place for the next. */
const LEAVE_MS = 1500;

type Sent = { type: string; body: Buffer; headers?: Record<string, string> };
type Target = { path: string; perSecond: number; bodies: readonly (() => Sent)[] };

/** Sends the requests of a malicious account that stays within its limits; runs in a separate process. */
export function runFlooder(): boolean {
  const [, , flag, url = '', key = '', names = ''] = process.argv;
  if (flag !== FLOODER_FLAG) return false;
  // Elsewhere, it would have processors of its own.
  setPriority(constants.priority.PRIORITY_LOW);
  const agent = new Agent({ keepAlive: true });
  const isWanted = ({ path }: Target) => names.split(',').includes(basename(path));
  // Each round continues where the last one ended, so that all bodies are sent.
  const all = targets()
    .filter(isWanted)
    .map((target) => ({ ...target, turn: 0 }));
  let timers: NodeJS.Timeout[] = [];
  process.on('disconnect', () => process.exit());
  process.on('message', (message) => {
    for (const timer of timers.splice(0)) clearInterval(timer);
    if (message === 'stop') return void process.send?.('stopped');
    timers = all.map((target) => {
      const { path, perSecond, bodies } = target;
      return setInterval(() => {
        const make = bodies[target.turn++ % bodies.length];
        if (make) send(`${url}${path}`, agent, key, make());
      }, 1000 / perSecond);
    });
  });
  return true;
}

function send(url: string, agent: Agent, key: string, { type, body, headers = {} }: Sent): void {
  const sent = request(url, {
    method: 'POST',
    agent,
    headers: { 'X-API-Key': key, 'Content-Type': type, 'Content-Length': body.length, ...headers },
  });
  const leave = setTimeout(() => sent.destroy(), LEAVE_MS);
  sent.on('error', () => {});
  sent.on('close', () => clearTimeout(leave));
  sent.on('response', (response) => response.on('error', () => {}).resume());
  sent.end(body);
}

const always = (type: string, text: string | Buffer, headers?: Record<string, string>) => {
  const sent = { type, body: Buffer.from(text as string), ...(headers ? { headers } : {}) };
  return () => sent;
};
const fill = (bytes: number, text: string) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)));
const packed = { 'Content-Encoding': 'gzip' };

/** The worst allowed body of each kind (broken at its end, deep, of many parts, compressed), and bodies that are too large. */
const hostile = (bytes: number): (() => Sent)[] => [
  always(JSON_TYPE, `[${fill(bytes - 8, '1,')}x`),
  always(JSON_TYPE, fill(bytes, '[')),
  always(JSON_TYPE, `{${Array.from({ length: bytes / 16 }, (_, n) => `"k${n}":{}`).join(',')}`.slice(0, bytes)),
  always(JSON_TYPE, `"${fill(bytes - 2, '\\n')}`),
  always(JSON_TYPE, gzipSync(Buffer.alloc(bytes * 500, 32)), packed),
  always(JSON_TYPE, fill(KIB * KIB, '[1],')),
];

let next = 0;
const number = () => `YT${String(Date.now()).slice(-9)}${String(next++).padStart(6, '0')}`;
const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`key${n}`, '快'.repeat(256)]));
const full = () => ({ tracking_number: number(), metadata });
/** The largest size of which forty are allowed at once. */
const large = () => ({ ...full(), metadata: Object.fromEntries(Object.entries(metadata).slice(2)) });

/** Created where it is needed: the measured processes must not hold these bodies. */
const targets = (): Target[] => [
  {
    path: '/api/v1/carrier/detect',
    perSecond: 10,
    bodies: [
      ...hostile(4 * KIB),
      () => ({ type: JSON_TYPE, body: Buffer.from(`{"tracking_number":"${number()}"${fill(4000, ' ')}}`) }),
    ],
  },
  {
    path: '/api/v1/trackings/create',
    perSecond: 3,
    bodies: [...hostile(16 * KIB), () => ({ type: JSON_TYPE, body: Buffer.from(JSON.stringify(full())) })],
  },
  {
    path: '/api/v1/trackings/batch',
    perSecond: 10,
    bodies: [
      ...hostile(256 * KIB),
      () => ({ type: JSON_TYPE, body: Buffer.from(JSON.stringify(Array.from({ length: 40 }, large))) }),
    ],
  },
  {
    path: '/api/v1/track/batch-stream',
    perSecond: 1,
    bodies: [
      ...hostile(640 * KIB),
      () => ({ type: JSON_TYPE, body: Buffer.from(JSON.stringify(Array.from({ length: 10_000 }, number))) }),
      () => ({ type: LINES_TYPE, body: Buffer.from(Array.from({ length: 10_000 }, number).join('\n')) }),
      always(LINES_TYPE, fill(16 * KIB * KIB, `{"a":"${fill(16_000, 'x')}\n`)),
      always(LINES_TYPE, fill(16 * KIB * KIB, '\n')),
      always(LINES_TYPE, fill(8 * KIB * KIB, `${fill(16_000, '[')}\n`)),
      always(LINES_TYPE, fill(16 * KIB * KIB, 'x')),
      always(LINES_TYPE, fill(100 * KIB, '?\n')),
    ],
  },
];
