import { detectWithReasons } from '@pts/carriers/detection/detect';
import { knownProviders } from '@pts/carriers/providers/configured';
import { recordFinds } from '@pts/db/learned-prefixes';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { startTestApi, type TestApi } from '../testing/test-api.ts';

const KUAIDI100 = { providers: knownProviders({ PROVIDERS: 'kuaidi100' }), sandbox: false };
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi(KUAIDI100);
}, 60_000);
afterAll(() => api.close());

let numbers = 773_400_000_000;
/** Of carriers that have nothing but the length of their numbers in common: no check digit is valid. */
function freshNumber(): string {
  const number = String(++numbers);
  const isChecked = detectWithReasons(number, { sandbox: false }).some(({ reason }) => reason === 'check_digit');
  return isChecked ? freshNumber() : number;
}

const create = async (key: string, body: object) =>
  (await api.call('POST', '/trackings/create', { key, body })).body.data;
const read = async (key: string, number: string) =>
  (await api.call('GET', `/trackings/get?tracking_numbers=${number}`, { key })).body.data.success;
const used = async (key: string) => (await api.call('GET', '/account', { key })).body.data.quota_used;

/** The carrier answers with a scan of now. */
async function find(id: string, carrier: string): Promise<void> {
  const now = new Date();
  const time = now.toISOString().replace(/\.\d+Z/, 'Z');
  const scan = { time, timeRaw: time, zoneSource: 'carrier' as const, location: '', description: 'on the road' };
  const answer = { kind: 'found' as const, scans: [{ ...scan, status: 'in_transit' as const }] };
  await saveAnswers(api.db, [{ trackingId: id, carrier, answer, fingerprint: 'f', finalLook: false }], CADENCE, now);
}

test('a number of several carriers shows its candidates: those that require a missing field come last', async () => {
  const { key } = await api.account();
  const number = freshNumber();
  const created = await create(key, { tracking_number: number });
  expect(created).toMatchObject({ carrier: 'sf-express', candidates: ['sto', 'yto', 'sf-express', 'zto'] });
  expect(created).not.toHaveProperty('detected_carrier');
  expect(await read(key, number)).toMatchObject([{ id: created.id, candidates: created.candidates }]);
  const withPhone = await create(key, { tracking_number: freshNumber(), phone: '5678' });
  expect(withPhone.candidates).toEqual(['sf-express', 'zto', 'sto', 'yto']);
});

test('a number whose form decides has no candidates', async () => {
  const { key } = await api.account();
  const created = await create(key, { tracking_number: 'YT8962646785123' });
  expect(created).toMatchObject({ carrier: 'yto', detected_carrier: 'yto' });
  expect(created).not.toHaveProperty('candidates');
});

test('once a carrier knows the number, the record has that carrier and no more candidates', async () => {
  const { key } = await api.account();
  const number = freshNumber();
  const { id } = await create(key, { tracking_number: number });
  await find(id, 'yto');
  const [tracking] = await read(key, number);
  expect(tracking).toMatchObject({ id, carrier: 'yto', detected_carrier: 'yto', sub_status: 'in_transit' });
  expect(tracking).not.toHaveProperty('candidates');
});

test('explain names the candidates and the next one, until the carrier is known', async () => {
  const { key } = await api.account();
  const { id } = await create(key, { tracking_number: freshNumber() });
  const explain = async () => (await api.call('GET', `/trackings/${id}/explain`, { key })).body.data.carrier;
  const open = await explain();
  expect(open).toMatchObject({ asked_in_turn: ['sto', 'yto', 'sf-express', 'zto'], chosen_by: 'detection' });
  expect(open.message).toMatch(/not known yet.*sto, yto, sf-express, zto.*sto next.*PATCH/);
  await find(id, 'sto');
  expect(await explain()).not.toHaveProperty('asked_in_turn');
});

describe('the same number again', () => {
  const ways: [string, (key: string, number: string) => Promise<{ id: string }>][] = [
    ['create', (key, number) => create(key, { tracking_number: number })],
    ['create with auto', (key, number) => create(key, { tracking_number: number, courier_code: 'auto' })],
    [
      'batch',
      async (key, number) =>
        (await api.call('POST', '/trackings/batch', { key, body: { tracking_numbers: [number, number] } })).body.data
          .success[1],
    ],
    [
      'async',
      async (key, number) => {
        const body = { tracking_numbers: [number] };
        const { poll_url: url } = (await api.call('POST', '/track/async', { key, body })).body.data;
        return (await api.call('GET', url, { key })).body.data.shipments[0];
      },
    ],
    [
      'a stream',
      async (key, number) => {
        const response = await fetch(`${api.url}/api/v1/track/batch-stream`, {
          method: 'POST',
          headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
          body: JSON.stringify({ tracking_numbers: [number] }),
        });
        const lines = (await response.text()).trim().split('\n');
        return lines.map((line) => JSON.parse(line)).find(({ type }) => type === 'tracking');
      },
    ],
    [
      '/v4',
      async (key, number) => {
        const headers = { 'Tracking-Api-Key': key };
        const body = { tracking_number: number, courier_code: 'auto' };
        return (await api.call('POST', `${api.url}/v4/trackings/create`, { headers, body })).body.data;
      },
    ],
  ];

  test.each(ways)(
    'through %s returns the tracking whose carrier has since been found, for one unit',
    async (_, again) => {
      const { key } = await api.account();
      const number = freshNumber();
      const { id } = await create(key, { tracking_number: number });
      await find(id, 'yto');
      expect(await again(key, number)).toMatchObject({ id });
      expect(await used(key)).toBe(1);
    },
  );

  test('with a carrier decides it, for no second unit, and detection no longer changes it', async () => {
    const { key } = await api.account();
    const number = freshNumber();
    const { id } = await create(key, { tracking_number: number });
    const named = await create(key, { tracking_number: number, courier_code: 'deppon', phone: '5678' });
    expect(named).toMatchObject({ id, carrier: 'deppon' });
    expect(named).not.toHaveProperty('candidates');
    await find(id, 'sto');
    expect(await read(key, number)).toMatchObject([{ id, carrier: 'deppon', phone: '5678', sub_status: 'pending' }]);
    expect(await used(key)).toBe(1);
  });
});

test('PATCH decides with a carrier, even the likeliest, and starts the search again with auto', async () => {
  const { key } = await api.account();
  const number = freshNumber();
  const { id } = await create(key, { tracking_number: number });
  const patch = async (code: string) =>
    (await api.call('PATCH', `/trackings/${id}`, { key, body: { courier_code: code } })).body.data;
  const named = await patch('sf-express');
  expect(named).toMatchObject({ carrier: 'sf-express' });
  expect(named).not.toHaveProperty('candidates');
  expect(named).not.toHaveProperty('detected_carrier');
  expect(await patch('auto')).toMatchObject({ candidates: ['sto', 'yto', 'sf-express', 'zto'] });
  expect(await used(key)).toBe(1);
});

test('a dry run shows the candidates, and an existing tracking as it is', async () => {
  const { key } = await api.account();
  const body = { tracking_number: freshNumber(), dry_run: true };
  expect(await create(key, body)).toMatchObject({ id: null, candidates: expect.any(Array), would_charge: 1 });
  const { id } = await create(key, { tracking_number: body.tracking_number });
  await find(id, 'yto');
  expect(await create(key, body)).toMatchObject({ id, carrier: 'yto', detected_carrier: 'yto', would_charge: 0 });
});

describe('refusals', () => {
  const refusal = async (number: string) => {
    const { key } = await api.account();
    const { body } = await api.call('POST', '/trackings/create', { key, body: { tracking_number: number } });
    expect(await used(key)).toBe(0);
    return body;
  };

  test('a carrier that no provider serves is named, with the other candidates', async () => {
    const { code, message } = await refusal('TBA284017365928');
    expect(code).toBe(4121);
    expect(message).toMatch(/Amazon.*\(amazon\).*this installation has no provider.*courier_code/);
  });

  test('a wrong check digit is named', async () => {
    const { code, message } = await refusal('1Z7K3R950361840279');
    expect(code).toBe(4121);
    expect(message).toMatch(/UPS.*check digit is wrong/);
  });
});

describe('learned carriers', () => {
  const learn = (prefix: string, carrier: string, count: number) =>
    recordFinds(
      api.db,
      Array.from({ length: count }, () => ({ prefix, carrier })),
      new Date(),
    );

  test('decide which candidate is checked first', async () => {
    await learn('12:773612', 'yto', 2);
    const { key } = await api.account();
    const { candidates } = await create(key, { tracking_number: '773612345678', phone: '5678' });
    expect(candidates).toEqual(['yto', 'sf-express', 'zto', 'sto']);
  });

  test('make a number certain if they are clear, and detection agrees', async () => {
    const NUMBER = '773512345678';
    await learn('12:773512', 'yto', 9);
    const { key } = await api.account();
    const created = await create(key, { tracking_number: NUMBER });
    expect(created).toMatchObject({ carrier: 'yto', detected_carrier: 'yto' });
    const { data } = (await api.call('POST', '/carrier/detect', { key, body: { tracking_number: NUMBER } })).body;
    expect(data).toMatchObject({ carrier: 'yto', candidates: expect.any(Array) });
    expect(data.candidates[0]).toMatchObject({ courier_code: 'yto', confidence: 37 });
  });

  test('of the account decide among carriers that are about equally likely', async () => {
    const { key, id: accountId } = await api.account();
    const find = { accountId, prefix: '12:', carrier: 'sto' };
    await recordFinds(api.db, [find, find, find], new Date());
    const NUMBER = '773712345678';
    expect((await create(key, { tracking_number: NUMBER, phone: '5678' })).candidates?.[0]).toBe('sto');
    const other = await api.account();
    expect((await create(other.key, { tracking_number: NUMBER, phone: '5678' })).candidates?.[0]).not.toBe('sto');
  });
});
