import { tryPort } from '@pts/embedded/free-port';
import type { Options } from './options.ts';
import { Problem } from './problem.ts';

export type Ports = { api: number; sandbox: number };

/** The ports to listen on: the requested ones, or the first free ones from the defaults on. @throws Problem */
export async function choosePorts(options: Options, say: (line: string) => void): Promise<Ports> {
  const api = await choose('PORT', options.apiPort, options.host, [], say);
  const sandbox = options.sandboxUrl ? 0 : await choose('SANDBOX_PORT', options.sandboxPort, '127.0.0.1', [api], say);
  return { api, sandbox };
}

async function choose(
  variable: string,
  { port, requested }: { port: number; requested: boolean },
  host: string,
  taken: number[],
  say: (line: string) => void,
): Promise<number> {
  for (let candidate = port; candidate <= Math.min(port + 100, 65_535); candidate++) {
    const free = taken.includes(candidate) ? null : await tryPort(candidate, host).catch(unusable(host));
    if (free === null && requested) {
      throw new Problem(
        `Port ${port} is in use or not permitted. Stop the program that uses it, or set ${variable} to another port.`,
      );
    }
    if (free === null) continue;
    if (candidate !== port) say(`port ${port} is in use: using ${candidate} instead`);
    return free;
  }
  throw new Problem(`No free port from ${port} on. Set ${variable}.`);
}

/** For the errors of an address at which this machine cannot listen on any port. */
function unusable(host: string): (error: Error) => never {
  return (error) => {
    throw new Problem(
      `This machine cannot listen on HOST ${host} (${error.message}). Set HOST to one of its addresses.`,
    );
  };
}
