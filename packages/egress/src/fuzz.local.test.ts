import { refuseAddress } from '@pts/core/url-policy';
import { fuzzSettings, hostileUrls, notationsOf, PRIVATE_V4, PRIVATE_V6 } from '@pts/testing/fuzz';
import fc from 'fast-check';
import { push, recordDialled, resolvingTo, testServers } from './testing/servers.ts';

const servers = testServers();
const dialled = recordDialled();
afterEach(() => servers.close());

const octet = fc.nat(255);
/** Any address of the private and reserved ranges. */
const privateV4 = fc.oneof(
  fc.constantFrom<string>(...PRIVATE_V4),
  fc
    .tuple(
      fc.constantFrom('127', '10', '0', '172.16', '172.31', '192.168', '169.254', '100.64', '198.18'),
      octet,
      octet,
      octet,
    )
    .map(([net, ...rest]) => [...net.split('.'), ...rest].slice(0, 4).join('.')),
  fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet).map((parts) => parts.join('.')),
);
const anyAddress = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom<string>(...PRIVATE_V6));
const privateAddress = fc.oneof(
  privateV4,
  anyAddress.filter((address) => refuseAddress(address) !== null),
);

/** A host that is private by its text. */
const privateHost = fc.oneof(
  privateV4.chain((address) => fc.constantFrom(...notationsOf(address))),
  fc.constantFrom<string>(...PRIVATE_V6).map((address) => `[${address}]`),
);
const port = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 1, max: 65_535 }).map((n) => `:${n}`),
);
const tail = fc.constantFrom(
  '/',
  '',
  '/latest/meta-data/',
  '?a=b',
  '#@example.com/',
  '/@example.com',
  '\\@example.com/',
);
const byText = fc
  .oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom('http://', 'https://', 'HTTPS://'), privateHost, port, tail)
        .map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: fc.constantFrom(...hostileUrls()) },
  )
  .map((url) => ({ url, answers: ['8.8.8.8'] }));
/** A harmless name that resolves to at least one private address, at any position. */
const byName = fc
  .tuple(fc.array(anyAddress, { maxLength: 4 }), privateAddress, fc.nat(4), port)
  .map(([others, address, place, at]) => ({
    url: `http://hooks.example${at}/`,
    answers: others.toSpliced(place, 0, address),
  }));

test('no push connects to a private address, however it is sent', async () => {
  const { count, seed } = fuzzSettings();
  const cases = fc.sample(fc.oneof(byText, byName), { seed, numRuns: count });
  const through: object[] = [];
  for (const { url, answers } of cases) {
    const { resolver } = resolvingTo(...answers);
    const sender = servers.sender({ allow: [], resolver });
    const sent = await sender.send(push(url));
    await sender.close();
    const isRefused = sent.kind === 'no_answer' && /^(blocked|dns): /.test(`${sent.reason}`);
    if (!isRefused || dialled.length > 0) through.push({ url, answers, sent, dialled: dialled.splice(0).length });
  }
  process.stdout.write(`forced sends: ${cases.length}, ${through.length} through, FUZZ_SEED=${seed}\n`);
  expect(through.slice(0, 5)).toEqual([]);
}, 600_000);

test('a redirect to each of them is not followed', async () => {
  const urls = hostileUrls();
  let location = '';
  const { url, requests } = await servers.raw((socket) =>
    socket.write(`HTTP/1.1 307 Temporary Redirect\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`),
  );
  const { send } = servers.sender({ connectionsPerReceiver: 1, connectionTtlMs: 3_600_000 });
  for (const hostile of urls) {
    // A header cannot contain line breaks and tabs; the remaining address is still private.
    location = encodeURI(hostile.replace(/[\r\n\t]/g, ''));
    expect(await send(push(url))).toMatchObject({ kind: 'answered', status: 307 });
  }
  expect(requests).toHaveLength(urls.length);
  expect(dialled).toHaveLength(1);
}, 300_000);
