import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { admin } from '../testing/run.ts';

const NOW = new Date('2031-05-20T00:00:00Z');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pts-answers-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** An answer of Kuaidi100's; the newest scan first, days of May 2031 at 08:00 in China. */
function answer(state: string, ...scans: [day: number, text: string][]) {
  const data = scans.map(([day, context]) => ({
    time: `2031-05-${String(day).padStart(2, '0')} 08:00:00`,
    context,
    location: '',
  }));
  return { message: 'ok', nu: 'YT8812345678901', com: 'yuantong', status: '200', state, data };
}

const parse = (raw: unknown, args: string[] = [], provider = 'kuaidi100') =>
  admin(
    ['carriers', 'parse', provider, '-', '--json', ...args],
    {},
    () => NOW,
    undefined,
    undefined,
    JSON.stringify(raw),
  );

async function replay(args: string[], ...answers: unknown[]) {
  const files = answers.map((raw, index) => {
    const file = join(folder, `answer-${index}.json`);
    writeFileSync(file, JSON.stringify(raw));
    return file;
  });
  const ran = await admin(['carriers', 'replay', 'kuaidi100', ...args, ...files], {}, () => NOW);
  return {
    ...ran,
    lines: ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
}

describe('carriers detect', () => {
  test('lists the candidates of each number, best first, without a database', async () => {
    const { code, stdout } = await admin([
      'carriers',
      'detect',
      '--json',
      '1Z999AA10123456784',
      'yt 8812345678901',
      'QQ999',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      { number: '1Z999AA10123456784', candidates: [{ courier_code: 'ups', confidence: 95 }] },
      { number: 'YT8812345678901', candidates: [expect.objectContaining({ courier_code: 'yto' })] },
      { number: 'QQ999', candidates: [] },
    ]);
  });
});

describe('carriers detect, further', () => {
  test('takes the destination into account', async () => {
    const first = async (...args: string[]) => {
      const { stdout } = await admin(['carriers', 'detect', '--json', '353563075655', ...args]);
      return JSON.parse(stdout)[0].candidates[0].courier_code;
    };
    expect(await first()).toBe('sf-express');
    expect(await first('--destination', 'kr')).toBe('cj-logistics');
    expect(await admin(['carriers', 'detect', '353563075655', '--destination', 'Korea'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--destination must be a country code such as KR'),
    });
  });

  test('without a number lists the carriers that have no known form of numbers', async () => {
    const { code, stdout } = await admin(['carriers', 'detect', '--json']);
    const codes = JSON.parse(stdout).map((each: { courier_code: string }) => each.courier_code);
    expect(code).toBe(0);
    expect(codes).toEqual(expect.arrayContaining(['sf-freight', 'veho', 'boxberry']));
    for (const known of ['sf-express', 'cdek', 'ghana-post']) expect(codes).not.toContain(known);
  });
});

describe('carriers parse', () => {
  test('prints an answer normalised', async () => {
    const { code, stdout } = await parse(answer('3', [12, '已签收，签收人：本人'], [11, '柏州已揽收']));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      number: 'YT8812345678901',
      found: true,
      sub_status: 'delivered',
      status: '已签收',
      watched: false,
      emitted: ['tracking_update', 'tracking_delivered'],
      events: [
        {
          time: '2031-05-11T00:00:00Z',
          location: '',
          description: '柏州已揽收',
          status: 'in_transit',
          raw_time: '2031-05-11 08:00:00',
          zone_source: 'default',
        },
        expect.objectContaining({ time: '2031-05-12T00:00:00Z', status: 'delivered' }),
      ],
    });
  });

  test('reads a file, and prints a line for each event', async () => {
    const file = join(folder, 'answer.json');
    writeFileSync(file, JSON.stringify(answer('0', [11, '柏州已揽收'])));
    const { code, stdout } = await admin(['carriers', 'parse', 'kuaidi100', file], {}, () => NOW);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^YT8812345678901: in_transit, 查询中\nTIME .*\n2031-05-11T00:00:00Z +in_transit +2031-05-11 08:00:00 \(zone: default\) +柏州已揽收\n$/,
      ),
    ]);
  });

  test.each(PROVIDERS.map(({ name, answers }) => [name, answers]))(
    'an answer of %s that cannot be read fails, with the form that is expected',
    async (name, answers) => {
      for (const text of ['<html>down</html>', '']) {
        const ran = await admin(['carriers', 'parse', name, '-'], {}, () => NOW, undefined, undefined, text);
        expect([text, ran.code, ran.stdout]).toEqual([text, 1, expect.stringContaining(answers)]);
      }
    },
  );

  test('an answer that can be read fails for nothing that it says', async () => {
    expect((await parse({ result: false, returnCode: '503', message: 'sign不符' }, ['--number', 'YT1'])).code).toBe(0);
  });

  const event = { date: '2031-05-11T08:00:00+08:00', eventType: 'DL', eventDescription: 'Delivered' };
  const article = { date: '2031-05-11T10:00:00+10:00', description: 'Delivered' };
  const piece = { eventCode: 'EVKSP', eventDateTime: '2031-05-11T01:00:00+01:00' };
  const item = { eventTime: '2031-05-11T02:00:00', status: 'DELIVERED', location: { countryCode: 'SE' } };
  const route = { acceptTime: '2031-05-11 08:00:00', opCode: '80' };
  const activity = { date: '20310511', time: '080000', gmtOffset: '+08:00', status: { type: 'D' } };
  test.each([
    [
      'fedex',
      { output: { completeTrackResults: [{ trackingNumber: 'N1', trackResults: [{ scanEvents: [event] }] }] } },
    ],
    ['ups', { trackResponse: { shipment: [{ inquiryNumber: 'N1', package: [{ activity: [activity] }] }] } }],
    ['usps', [{ trackingNumber: 'N1', trackingEvents: [{ eventCode: '01', GMTTimestamp: '2031-05-11T00:00:00Z' }] }]],
    [
      'dhl-unified',
      { shipments: [{ id: 'N1', events: [{ timestamp: '2031-05-11T00:00:00Z', statusCode: 'delivered' }] }] },
    ],
    ['australia-post', { tracking_results: [{ tracking_id: 'N1', trackable_items: [{ events: [article] }] }] }],
    [
      'la-poste',
      { returnCode: 200, shipment: { idShip: 'N1', event: [{ code: 'DI1', date: '2031-05-11T02:00:00+02:00' }] } },
    ],
    ['royal-mail', { mailPieces: { mailPieceId: 'N1', events: [piece] } }],
    ['postnord', { TrackingInformationResponse: { shipments: [{ shipmentId: 'N1', items: [{ events: [item] }] }] } }],
    [
      'gls',
      { parcels: [{ unitno: 'N1', status: 'DELIVERED', events: [{ eventDateTime: '2031-05-11T02:00:00+0200' }] }] },
    ],
    ['sf-express', { success: true, msgData: { routeResps: [{ mailNo: 'N1', routes: [route] }] } }],
    ['kdniao', { Success: true, LogisticCode: 'N1', State: '3', Traces: [{ AcceptTime: '2031-05-11 08:00:00' }] }],
  ])('reads an answer of %s, with and without its number', async (provider, raw) => {
    for (const number of [[], ['--number', 'N1']]) {
      const { stdout } = await parse(raw, number, provider);
      expect(JSON.parse(stdout)).toMatchObject({
        sub_status: 'delivered',
        events: [{ time: '2031-05-11T00:00:00Z', status: 'delivered' }],
      });
    }
  });
});

describe('carriers replay', () => {
  test('folds answers one after the other, and prints the changes of each', async () => {
    const first = answer('0', [10, '柏州已揽收']);
    const { code, lines } = await replay(
      [],
      first,
      first,
      answer('3', [12, '已签收，签收人：本人'], [10, '柏州已揽收']),
    );
    expect(code).toBe(0);
    expect(lines).toMatchObject([
      { status: '查询中', sub_status: 'in_transit', watched: true, emitted: ['tracking_update'] },
      { sub_status: 'in_transit', emitted: [] },
      { status: '已签收', watched: false, emitted: ['tracking_update', 'tracking_delivered'] },
    ]);
    expect(lines[2].events).toHaveLength(2);
  });

  test('separates a recycled number’s old journey', async () => {
    const { lines } = await replay(
      ['--registered', '2031-10-01T00:00:00Z', '--now', '2031-10-02T00:00:00Z'],
      answer('3', [12, '已签收，签收人：本人'], [10, '柏州已揽收']),
    );
    expect(lines[0]).toMatchObject({ sub_status: 'pending', watched: true, events: [], emitted: [] });
    expect(lines[0].previous_events).toHaveLength(2);
  });

  test('quarantines an answer about another parcel until one an hour later agrees', async () => {
    const known = answer('0', [12, '离开柏州'], [10, '柏州已揽收']);
    const other = answer('0', [11, '离开云溪'], [9, '云溪已揽收']);
    const soon = await replay([], known, other, other);
    expect(soon.lines[2]).toMatchObject({ emitted: [], quarantine: { reason: 'other_history' } });
    expect(soon.lines[2].events).toHaveLength(2);
    const later = await replay(['--every', '3600'], known, other, other);
    expect(later.lines[2]).toMatchObject({ emitted: ['tracking_update'] });
    expect(later.lines[2]).not.toHaveProperty('quarantine');
  });
});

test.each([
  [
    '17track',
    {
      code: 0,
      data: { accepted: [{ number: 'RC518203648CN', track_info: { latest_status: { status: 'Delivered' } } }] },
    },
  ],
  ['trackingmore', { meta: { code: 200 }, data: [{ tracking_number: 'RC518203648CN', delivery_status: 'delivered' }] }],
  ['easypost', { object: 'Event', result: { tracking_code: 'RC518203648CN', status: 'delivered' } }],
])('the number and the status are found in the format of %s', async (provider, raw) => {
  const { stdout } = await parse(raw, [], provider);
  expect(JSON.parse(stdout)).toMatchObject({
    number: 'RC518203648CN',
    found: true,
    sub_status: 'delivered',
    events: [],
  });
});

describe('carriers callback-addresses', () => {
  const ENV = {
    CALLBACK_BASE_URL: 'https://api.example/',
    CALLBACK_SECRET: 'a secret of the installation, 32+ characters',
  };

  test('prints the address of each provider that sends callbacks', async () => {
    const { stdout } = await admin(['carriers', 'callback-addresses', '--json'], ENV);
    const addresses: { provider: string; url: string }[] = JSON.parse(stdout);
    expect(addresses.map(({ provider }) => provider)).toEqual(
      expect.arrayContaining(['kuaidi100', '17track', 'ship24']),
    );
    for (const { provider, url } of addresses)
      expect(url).toMatch(new RegExp(`^https://api\\.example/callbacks/${provider}/[\\w-]{43}$`));
  });
});
