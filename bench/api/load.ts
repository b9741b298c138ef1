import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

const LOAD_FLAG = '--as-the-load';

/** The requests to a server: with `numbers`, new ones in a body; otherwise known ones in the path. */
export type Call = 'create' | 'get-one' | 'get-forty' | 'batch' | 'deliveries' | 'shipments';

export type Load = {
  url: string;
  call: Call;
  connections: number;
  forMs: number;
  /** The accounts that send requests, round robin, by their keys, each with the numbers that it has registered. */
  accounts: readonly { key: string; numbers: readonly string[] }[];
};

/** The load's process; `run` resolves to the number of requests that were answered with 200. */
export type LoadProcess = { run(load: Load): Promise<number>; child: ChildProcess };

export function startLoadProcess(): LoadProcess {
  const child = fork(fileURLToPath(import.meta.url), [LOAD_FLAG]);
  return {
    child,
    async run(load) {
      child.send(load);
      const [answered] = (await once(child, 'message')) as [number | string];
      if (typeof answered === 'string') throw new Error(answered);
      return answered;
    },
  };
}

/** The program of that process; the bundle is one file, so it starts in the same one as the benchmarks. */
export function runLoad(): boolean {
  if (process.argv[2] !== LOAD_FLAG) return false;
  process.on('disconnect', () => process.exit());
  process.on('message', (load) => {
    ask(load as Load).then(
      (answered) => process.send?.(answered),
      (error) => process.send?.(String(error)),
    );
  });
  return true;
}

/** One request after the other on each connection. */
async function ask({ url, call, connections, forMs, accounts }: Load): Promise<number> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const requests = requestsOf(call, accounts);
  const until = performance.now() + forMs;
  let answered = 0;
  const lane = async () => {
    while (performance.now() < until) {
      const { statusCode, body } = await pool.request(requests());
      if (statusCode !== 200) throw new Error(`${call} was answered ${statusCode}: ${await body.text()}`);
      await body.dump();
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  await pool.close();
  return answered;
}

type Sent = Parameters<Pool['request']>[0];

function requestsOf(call: Call, accounts: Load['accounts']): () => Sent {
  // Each run has its own numbers: none is registered yet.
  const run = randomBytes(5).toString('hex').toUpperCase();
  let count = 0;
  const fresh = () => `PTS${run}${String(count++).padStart(8, '0')}`;
  const get = (path: string, key: string): Sent => ({ method: 'GET', path, headers: { 'x-api-key': key } });
  const post = (path: string, key: string, body: object): Sent => ({
    method: 'POST',
    path,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  let turn = 0;
  return () => {
    const { key, numbers } = accounts[turn++ % accounts.length] ?? { key: '', numbers: [] };
    const known = (max: number) => {
      const from = (turn * 7919) % Math.max(1, numbers.length - max);
      return `/api/v1/trackings/get?tracking_numbers=${numbers.slice(from, from + max).join(',')}`;
    };
    switch (call) {
      case 'create':
        return post('/api/v1/trackings/create', key, { tracking_number: fresh() });
      case 'batch':
        return post('/api/v1/trackings/batch', key, { tracking_numbers: Array.from({ length: 40 }, fresh) });
      case 'get-one':
        return get(known(1), key);
      case 'get-forty':
        return get(known(40), key);
      case 'deliveries':
        return get('/api/v1/webhooks/deliveries', key);
      case 'shipments':
        return get('/api/v1/shipments', key);
    }
  };
}
