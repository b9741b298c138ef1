import { PROVIDERS } from '@pts/carriers/providers/index';
import { rememberInMemory } from '../first-requests.ts';
import { WIRES } from './index.ts';
import { createRegistrations } from './registrations.ts';
import type { PushMessage } from './wire.ts';

const START = new Date('2031-03-01T16:00:00Z');
const NUMBER = 'SBXORDINARY1';

/** The pushes of an account with one registered number. */
function account(wire: string, accepts: () => boolean = () => true) {
  let now = START;
  const sent: PushMessage[] = [];
  const state = rememberInMemory();
  const registrations = createRegistrations(
    {
      ...{ speed: 1, now: () => now, state, callbackTargets: { [wire]: 'http://127.0.0.1:1/' } },
      send: async (_target, message) => {
        sent.push(message);
        return accepts();
      },
    },
    WIRES,
  );
  const registry = registrations.of(wire);
  const at = async (seconds: number) => {
    now = new Date(START.getTime() + seconds * 1000);
    await registrations.tick();
    return sent.length;
  };
  return { registrations, registry, at, sent, isNew: registry.add(NUMBER) };
}

const PUSHING = PROVIDERS.filter(({ name }) => WIRES.some((wire) => wire.name === name && wire.push));

test('every provider whose push address is set in the account pushes', () => {
  const names = PROVIDERS.filter(({ push }) => push !== undefined).map(({ name }) => name);
  const played = PROVIDERS.filter(({ name }) => WIRES.some((wire) => wire.name === name)).map(({ name }) => name);
  expect(PUSHING.map(({ name }) => name)).toEqual(names.filter((name) => played.includes(name)));
});

describe.each(PUSHING.map((manifest) => [manifest.name, manifest] as const))('%s', (name, manifest) => {
  const keys = { salt: '', settings: keysOf(manifest.playedBySandbox?.('http://sandbox') ?? {}) };

  function keysOf(env: Readonly<Record<string, string>>): Record<string, string> {
    const entries = Object.entries(manifest.settings).map(([key, setting]) => [key, env[setting.env] ?? '']);
    return Object.fromEntries(entries);
  }

  test('pushes are verified and parsed, and a modified one is forged', async () => {
    const { at, sent } = account(name);
    expect([await at(0), await at(1), await at(4), await at(46)]).toEqual([1, 1, 2, 3]);
    for (const { headers, body: rawBody } of sent) {
      expect(manifest.push?.verify({ headers, rawBody }, keys)).toBe(true);
      expect(manifest.push?.verify({ headers: {}, rawBody }, keys)).toBe(false);
    }
    const pushes = manifest.push?.parse(sent.at(-1)?.body ?? '') ?? [];
    if (manifest.push?.isNoticeOnly) return expect(pushes).toMatchObject([{ number: NUMBER, isNotice: true }]);
    expect(pushes).toMatchObject([{ number: NUMBER, answer: { kind: 'found' }, watch: 'going_on' }]);
    const [push] = pushes;
    const scans = push?.answer.kind === 'found' ? push.answer.scans : [];
    expect(scans).toContainEqual(expect.objectContaining({ status: 'delivered', time: '2031-03-01T16:00:45Z' }));
  });
});

test('a number is registered once', () => {
  const { registry, isNew } = account('17track');
  expect([isNew, registry.add(NUMBER), registry.carrierOf(NUMBER), registry.carrierOf('SBXOTHER1')]).toEqual([
    ...[true, false, '', null],
  ]);
  expect(registry.idOf(NUMBER)).toBe(account('17track').registry.idOf(NUMBER));
});

test('a push that was not accepted is repeated ten minutes later', async () => {
  let accepts = false;
  const { at } = account('17track', () => accepts);
  expect([await at(46), await at(600)]).toEqual([1, 1]);
  accepts = true;
  expect([await at(646), await at(2000)]).toEqual([2, 2]);
});

test('nothing is pushed to an account without an address, and nothing after the end', async () => {
  const { registrations, at } = account('17track');
  registrations.of('ship24').add('SBXOTHER1');
  expect(await at(0)).toBe(1);
  registrations.close();
  expect(await at(46)).toBe(1);
});

test('a subscription that is not renewed lapses', async () => {
  const days = 86_400;
  const { registry, at } = account('ups');
  expect(await at(1)).toBe(1);
  expect(await at(15 * days)).toBe(1);
  registry.add(NUMBER);
  expect(await at(15 * days + 1)).toBe(2);
});
