import { PROVIDERS } from '@pts/carriers/providers/index';
import { rememberInMemory } from '../first-requests.ts';
import { WIRES } from './play.ts';
import { type CallbackMessage, createRegistrations } from './wire.ts';

const START = new Date('2031-03-01T16:00:00Z');
const NUMBER = 'SBXORDINARY1';

/** The callbacks of an account with one registered number. */
function account(wire: string, accepts: () => boolean = () => true) {
  let now = START;
  const sent: CallbackMessage[] = [];
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

const PLAYED = PROVIDERS.filter(({ name }) => WIRES.some((wire) => wire.name === name && wire.callback));

describe.each(PLAYED.map((manifest) => [manifest.name, manifest] as const))('%s', (name, manifest) => {
  const keys = { salt: '', settings: keysOf(manifest.playedBySandbox?.account ?? {}) };

  function keysOf(env: Readonly<Record<string, string>>): Record<string, string> {
    const entries = Object.entries(manifest.settings).map(([key, setting]) => [key, env[setting.env] ?? '']);
    return Object.fromEntries(entries);
  }

  test('callbacks are verified and parsed, and a modified one is forged', async () => {
    const { at, sent } = account(name);
    expect([await at(0), await at(1), await at(4), await at(46)]).toEqual([1, 1, 2, 3]);
    for (const { headers, body: rawBody } of sent) {
      expect(manifest.callbacks?.verify({ headers, rawBody }, keys)).toBe(true);
      expect(manifest.callbacks?.verify({ headers: {}, rawBody }, keys)).toBe(false);
    }
    const callbacks = manifest.callbacks?.parse(sent.at(-1)?.body ?? '') ?? [];
    if (manifest.callbacks?.isThin) return expect(callbacks).toMatchObject([{ number: NUMBER, isThin: true }]);
    expect(callbacks).toMatchObject([{ number: NUMBER, answer: { kind: 'found' }, watch: 'going_on' }]);
    const [callback] = callbacks;
    const scans = callback?.answer.kind === 'found' ? callback.answer.scans : [];
    expect(scans).toContainEqual(expect.objectContaining({ status: 'delivered', time: '2031-03-01T16:00:45Z' }));
  });
});

test('a number is registered once', () => {
  const { registry, isNew } = account('17track');
  expect([isNew, registry.add(NUMBER), registry.carrierOf(NUMBER), registry.carrierOf('SBXOTHER1')]).toEqual([
    ...[true, false, '', null],
  ]);
});

test('a callback that was not accepted is repeated ten minutes later', async () => {
  let accepts = false;
  const { at } = account('17track', () => accepts);
  expect([await at(46), await at(600)]).toEqual([1, 1]);
  accepts = true;
  expect([await at(646), await at(2000)]).toEqual([2, 2]);
});

test('no callback is sent without an address in the account, nor after the end', async () => {
  const { registrations, at } = account('17track');
  registrations.of('ups').add('SBXOTHER1');
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
