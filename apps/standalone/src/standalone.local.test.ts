import { createServer, type Server } from 'node:net';
import { type Options, readOptions } from './options.ts';
import { choosePorts } from './standalone.ts';

let blocker: Server;
let taken: number;

beforeEach(async () => {
  blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
  const address = blocker.address();
  taken = typeof address === 'object' && address ? address.port : 0;
});
afterEach(() => void blocker.close());

const options = (changes: Partial<Options>): Options => ({ ...readOptions([], { PORT: '0' }, '/repo'), ...changes });

test('a default port that is in use is replaced by another, and the log says so', async () => {
  const said: string[] = [];
  const ports = await choosePorts(options({ apiPort: { port: taken, requested: false } }), (line) => said.push(line));
  expect(ports.api).toBeGreaterThan(taken);
  expect(said[0]).toBe(`port ${taken} is in use, using ${ports.api} instead`);
});

test('a port in use that was set explicitly is refused', async () => {
  const choosing = choosePorts(options({ apiPort: { port: taken, requested: true } }), () => {});
  await expect(choosing).rejects.toThrow(
    `Port ${taken} is in use or not permitted. Stop the program that uses it, or set PORT`,
  );
});

test('an address that this machine does not have is named, and its setting', async () => {
  // 192.0.2.0/24 is for documentation.
  await expect(choosePorts(options({ host: '192.0.2.1' }), () => {})).rejects.toThrow(
    /^This machine cannot listen on HOST 192\.0\.2\.1 \(.*EADDRNOTAVAIL.*\)\. Set HOST to one of its addresses\.$/,
  );
});

test('port 0 is any free one, and the two differ', async () => {
  const ports = await choosePorts(options({}), () => {});
  expect(ports.api).toBeGreaterThan(0);
  expect(ports.sandbox).toBeGreaterThan(0);
  expect(ports.sandbox).not.toBe(ports.api);
});

test('a sandbox of the user needs no port', async () => {
  expect((await choosePorts(options({ sandboxUrl: 'http://sandbox' }), () => {})).sandbox).toBe(0);
});
