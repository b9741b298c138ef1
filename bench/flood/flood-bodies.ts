import { gzipSync } from 'node:zlib';

export type Sent = { method?: 'GET'; path: string; headers?: Record<string, string>; body?: Buffer };
/** What is sent to an operation, in turn, at its documented rate. */
export type Target = { name: string; perSecond: number; requests: readonly (() => Sent)[] };

const KIB = 1024;
export const JSON_TYPE = 'application/json';
export const LINES_TYPE = 'application/x-ndjson';

let next = 0;
/** A number that nobody has registered. */
export const freshNumber = () => `YT${String(Date.now()).slice(-9)}${String(next++).padStart(6, '0')}`;

/** A body that is created for each request: each has its own numbers. */
export const post = (path: string, type: string, text: () => string, headers: Record<string, string> = {}) => {
  return (): Sent => ({ path, headers: { 'Content-Type': type, ...headers }, body: Buffer.from(text()) });
};
/** The same body for every request. */
const always = (path: string, type: string, body: string | Buffer, headers: Record<string, string> = {}) => {
  const sent = { path, headers: { 'Content-Type': type, ...headers }, body: Buffer.from(body as string) };
  return (): Sent => sent;
};
const fill = (bytes: number, text: string) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)));
const packed = { 'Content-Encoding': 'gzip' };

/** The worst allowed body of each kind (broken at its end, deep, of many parts, compressed), and bodies that are too large. */
const hostile = (path: string, bytes: number): (() => Sent)[] => [
  always(path, JSON_TYPE, `[${fill(bytes - 8, '1,')}x`),
  always(path, JSON_TYPE, fill(bytes, '[')),
  always(path, JSON_TYPE, `{${Array.from({ length: bytes / 16 }, (_, n) => `"k${n}":{}`).join(',')}`.slice(0, bytes)),
  always(path, JSON_TYPE, `"${fill(bytes - 2, '\\n')}`),
  always(path, JSON_TYPE, gzipSync(Buffer.alloc(bytes * 500, 32)), packed),
  always(path, JSON_TYPE, fill(KIB * KIB, '[1],')),
];

const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`key${n}`, '快'.repeat(256)]));
const full = () => ({ tracking_number: freshNumber(), metadata });
/** The largest size of which forty are allowed at once. */
const large = () => ({ ...full(), metadata: Object.fromEntries(Object.entries(metadata).slice(2)) });

/** Created where it is needed: the measured processes must not hold these bodies. */
export function hostileTargets(): Target[] {
  const detect = '/api/v1/carrier/detect';
  const create = '/api/v1/trackings/create';
  const batch = '/api/v1/trackings/batch';
  const stream = '/api/v1/track/batch-stream';
  const lines = (text: string) => always(stream, LINES_TYPE, text);
  const thousands = () => Array.from({ length: 10_000 }, freshNumber);
  return [
    {
      name: 'detect',
      perSecond: 10,
      requests: [
        ...hostile(detect, 4 * KIB),
        post(detect, JSON_TYPE, () => `{"tracking_number":"${freshNumber()}"${fill(4000, ' ')}}`),
      ],
    },
    {
      name: 'create',
      perSecond: 3,
      requests: [...hostile(create, 16 * KIB), post(create, JSON_TYPE, () => JSON.stringify(full()))],
    },
    {
      name: 'batch',
      perSecond: 10,
      requests: [
        ...hostile(batch, 256 * KIB),
        post(batch, JSON_TYPE, () => JSON.stringify(Array.from({ length: 40 }, large))),
      ],
    },
    {
      name: 'batch-stream',
      perSecond: 1,
      requests: [
        ...hostile(stream, 640 * KIB),
        post(stream, JSON_TYPE, () => JSON.stringify(thousands())),
        post(stream, LINES_TYPE, () => thousands().join('\n')),
        lines(fill(16 * KIB * KIB, `{"a":"${fill(16_000, 'x')}\n`)),
        lines(fill(16 * KIB * KIB, '\n')),
        lines(fill(8 * KIB * KIB, `${fill(16_000, '[')}\n`)),
        lines(fill(16 * KIB * KIB, 'x')),
        lines(fill(100 * KIB, '?\n')),
      ],
    },
  ];
}
