import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './find-program.ts';
import { startInFolder, untilReady } from './server-in-folder.ts';

const HAPROXY = {
  program: 'haproxy',
  from: { name: 'haproxy', server: 'usr/sbin/haproxy', cache: 'haproxy' },
  since: '2.6',
};

export type TestHaproxy = {
  url: string;
  /** Sends a command to its control socket. @returns the answer. */
  control(command: string): Promise<string>;
  /** The path of its map of keys, as commands name it. */
  mapFile: string;
  /** What it has printed. */
  output(): string;
  stop(): Promise<void>;
};

type Given = {
  /** The path of the configuration, which reads `CELLS_ADDRESS` and `CELLS_DIR`. */
  config: string;
  port: number;
  /** `host:port` of the cells, by the variables that name them. */
  cells: Readonly<Record<string, string>>;
  /** The lines of its map of keys. */
  keys: readonly string[];
  log(line: string): void;
};

/** Starts a HAProxy in front of cells. It ends with this process, however that ends. @throws with its output if it does not start */
export async function startHaproxy({ config, port, cells, keys, log }: Given): Promise<TestHaproxy> {
  const { server, env } = await findProgram(HAPROXY, log);
  const dir = mkdtempSync(join(tmpdir(), 'pts-haproxy-'));
  const mapFile = join(dir, 'keys.map');
  writeFileSync(mapFile, keys.map((line) => `${line}\n`).join(''));
  const address = { CELLS_ADDRESS: `127.0.0.1:${port}`, CELLS_DIR: dir };
  const running = startInFolder(dir, [server, '-db', '-f', config], { ...env, ...address, ...cells });
  const control = (command: string) => ask(join(dir, 'control.sock'), command);
  await untilReady('HAProxy', running, () => control('show info'));
  return { url: `http://127.0.0.1:${port}`, control, mapFile, output: running.output, stop: running.stop };
}

/** One command; the server closes the connection after its answer. */
function ask(socketFile: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(socketFile, () => socket.end(`${command}\n`));
    socket.on('data', (data) => (answer += String(data)));
    socket.once('error', reject);
    socket.once('close', () => resolve(answer));
  });
}
