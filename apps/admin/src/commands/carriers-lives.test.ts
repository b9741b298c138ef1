import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admin } from '../testing/run.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pts-lives-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** `MM-DD HH:mm` in 2031, or with another year in front; Chinese time. */
type ScanLine = [time: string, text: string, code?: string];

/** An answer in Kuaidi100's form, newest scan first. */
function answer(state: string, scans: ScanLine[], more: Record<string, unknown> = {}) {
  const data = scans.map(([time, context, statusCode]) => ({
    time: `${time.length === 11 ? `2031-${time}` : time}:00`,
    context,
    location: null,
    ...(statusCode === undefined ? {} : { statusCode }),
  }));
  return { message: 'ok', nu: 'YT8812345678901', com: 'yuantong', status: '200', state, data, ...more };
}

type Life = { answers: unknown[]; endings: string[]; registered?: string; every?: number };
const KINDS: Record<string, string> = { tracking_update: 'u', tracking_delivered: 'd', tracking_exception: 'x' };

/** The result of each answer: the sub-status, the emitted events, the number of events, and what else is shown. */
async function replay(name: string, { answers, registered = '2031-05-01T00:00:00Z', every = 300 }: Life) {
  const files = answers.map((raw, index) => {
    const file = join(folder, `${name.replace(/\W+/g, '-')}-${index}.json`);
    writeFileSync(file, JSON.stringify(raw));
    return file;
  });
  const when = ['--registered', registered, '--now', '2031-05-25T00:00:00Z', '--every', String(every)];
  const { stdout } = await admin(['carriers', 'replay', 'kuaidi100', ...when, ...files]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((line) =>
      [
        line.sub_status,
        line.emitted.map((kind: string) => KINDS[kind]).join('') || '-',
        String(line.events.length),
        line.watched ? 'watched' : 'ended',
        line.reason,
        line.quarantine && 'quarantined',
        line.previous_events && `previous ${line.previous_events.length}`,
        line.expected && `expected ${line.expected.length}`,
        line.error?.code,
      ]
        .filter(Boolean)
        .join(' '),
    );
}

const collected: ScanLine = ['05-10 08:00', '【柏州市】南门网点已揽收'];
const left: ScanLine = ['05-11 08:00', '离开【柏州转运中心】，下一站【云溪转运中心】'];
const out: ScanLine = ['05-12 08:00', '梧桐街小陆正在为您派件'];
const signed: ScanLine = ['05-12 15:00', '您的快件已签收，签收人：本人'];
const onTheWay = [out, left, collected];
const refused: ScanLine = ['05-12 17:00', '收件人不要此快件'];
const turned: ScanLine = ['05-13 08:00', '离开【云溪转运中心】，返程途中'];
const shift = (hours: number, scans: ScanLine[]): ScanLine[] =>
  scans.map(([time, ...rest]) => {
    const at = new Date(Date.parse(`2031-${time.replace(' ', 'T')}:00Z`) + hours * 3_600_000);
    return [at.toISOString().slice(5, 16).replace('T', ' '), ...rest];
  });

const LIVES: Record<string, Life> = {
  'an ordinary parcel': {
    answers: [
      answer('1', [collected]),
      answer('0', [left, collected]),
      answer('5', onTheWay),
      answer('3', [signed, ...onTheWay]),
    ],
    endings: [
      'in_transit u 1 watched',
      'in_transit u 2 watched',
      'out_for_delivery u 3 watched',
      'delivered ud 4 ended',
    ],
  },
  'a number that had a delivery a year ago': {
    registered: '2031-05-09T00:00:00Z',
    answers: [
      answer('3', [
        ['2030-03-05 08:00', '已签收，签收人：本人'],
        ['2030-03-01 08:00', '云溪已揽收'],
      ]),
      answer('1', [collected, ['2030-03-05 08:00', '已签收，签收人：本人'], ['2030-03-01 08:00', '云溪已揽收']]),
      answer('3', [signed, collected]),
    ],
    endings: ['pending - 0 watched previous 2', 'in_transit u 1 watched previous 2', 'delivered ud 2 ended previous 2'],
  },
  'one answer about another parcel': {
    answers: [
      answer('0', [left, collected]),
      answer('3', [
        ['05-11 09:00', '海沙签收，签收人：本人'],
        ['05-09 08:00', '离开海沙'],
      ]),
      answer('5', onTheWay),
    ],
    endings: ['in_transit u 2 watched', 'in_transit - 2 watched quarantined', 'out_for_delivery u 3 watched'],
  },
  'one answer about another parcel, scanned at the same hours': {
    answers: [
      answer('0', [left, collected]),
      answer('3', [
        ['05-12 15:00', '海沙签收，签收人：本人'],
        ['05-11 08:00', '到港青屿'],
        ['05-10 08:00', '海沙码头收寄'],
      ]),
      answer('5', onTheWay),
    ],
    endings: ['in_transit u 2 watched', 'in_transit - 2 watched quarantined', 'out_for_delivery u 3 watched'],
  },
  'answers about another history for an hour': {
    every: 3600,
    answers: [
      answer('0', [left, collected]),
      answer('0', [
        ['05-11 09:00', '到港青屿'],
        ['05-09 08:00', '离开海沙'],
      ]),
      answer('0', [
        ['05-11 09:00', '到港青屿'],
        ['05-09 08:00', '离开海沙'],
      ]),
    ],
    endings: ['in_transit u 2 watched', 'in_transit - 2 watched quarantined', 'in_transit u 2 watched'],
  },
  'an answer that names another number': {
    answers: [
      answer('0', [left, collected]),
      answer('3', [['05-14 09:00', '签收成功']], { nu: 'YT9999999999991' }),
      answer('5', onTheWay),
    ],
    endings: ['in_transit u 2 watched', 'in_transit - 2 watched quarantined', 'out_for_delivery u 3 watched'],
  },
  'a delivery withdrawn, then another one': {
    answers: [
      answer('3', [signed, ...onTheWay]),
      answer('5', onTheWay),
      answer('3', [['05-13 10:00', '签收人：前台'], ...onTheWay]),
    ],
    endings: ['delivered ud 4 ended', 'out_for_delivery ux 3 watched delivery_revoked', 'delivered ud 4 ended'],
  },
  'a delivery withdrawn, then listed again': {
    answers: [answer('3', [signed, ...onTheWay]), answer('5', onTheWay), answer('3', [signed, ...onTheWay])],
    endings: ['delivered ud 4 ended', 'out_for_delivery ux 3 watched delivery_revoked', 'delivered ud 4 ended'],
  },
  'a delivery withdrawn for trouble': {
    answers: [answer('3', [signed, ...onTheWay]), answer('2', [['05-12 16:00', '派送不成功，无人在家'], ...onTheWay])],
    endings: ['delivered ud 4 ended', 'exception ux 4 watched delivery_revoked'],
  },
  'a signature by mistake that the state denies': {
    answers: [answer('3', [signed, ...onTheWay]), answer('5', [['05-13 08:00', '小陆正在派件'], signed, ...onTheWay])],
    endings: ['delivered ud 4 ended', 'out_for_delivery ux 5 watched delivery_revoked'],
  },
  'going back, and delivered to the sender': {
    answers: [
      answer('6', [turned, ...onTheWay]),
      answer('5', [['05-15 08:00', '南门小陈正在派件'], turned, ...onTheWay]),
      answer('3', [['05-15 12:00', '已签收，签收人：本人'], ['05-15 08:00', '南门小陈正在派件'], turned, ...onTheWay]),
    ],
    endings: ['exception ux 4 watched', 'exception u 5 watched', 'returned ux 6 ended'],
  },
  'a return that only the text of its signature shows': {
    answers: [answer('3', [['05-15 12:00', '退件已签收，签收人：寄件人'], collected])],
    endings: ['returned ux 2 ended'],
  },
  'refused, out for delivery again, delivered': {
    answers: [
      answer('14', [refused, ...onTheWay]),
      answer('5', [['05-13 08:00', '小陆正在派件'], [refused[0], refused[1], '203'], ...onTheWay]),
      answer('3', [
        ['05-13 12:00', '签收人：本人'],
        ['05-13 08:00', '小陆正在派件'],
        [refused[0], refused[1], '203'],
        ...onTheWay,
      ]),
    ],
    endings: ['exception ux 4 watched', 'out_for_delivery u 5 watched', 'delivered ud 6 ended'],
  },
  'refused, going back, delivered to the sender': {
    answers: [
      answer('203', [refused, ...onTheWay]),
      answer('6', [turned, refused, ...onTheWay]),
      answer('4', [['05-15 12:00', '已签收'], turned, refused, ...onTheWay]),
    ],
    endings: ['exception ux 4 watched', 'exception u 5 watched', 'returned ux 6 ended'],
  },
  'delivered, then sent back': {
    answers: [
      answer('3', [signed, ...onTheWay]),
      answer('6', [['05-15 08:00', '云溪已收寄，寄回店家'], signed, ...onTheWay]),
      answer('4', [['05-17 08:00', '店家已收'], ['05-15 08:00', '云溪已收寄，寄回店家'], signed, ...onTheWay]),
    ],
    endings: ['delivered ud 4 ended', 'exception ux 5 watched', 'returned ux 6 ended'],
  },
  'signed with the pick-up code': {
    answers: [answer('304', [['05-13 12:00', '签收人凭取件码签收', '304'], ...onTheWay])],
    endings: ['delivered ud 4 ended'],
  },
  'in a locker, asked to pick it up with the code': {
    answers: [answer('304', [['05-24 12:00', '已存入梧桐街丰巢柜，请凭码领取', '304'], ...onTheWay])],
    endings: ['available_for_pickup u 4 watched'],
  },
  'signed for by a station, then picked up': {
    answers: [
      answer('3', [['05-23 12:00', '已由【梧桐街驿站】代签收'], ...onTheWay]),
      answer('3', [['05-24 09:00', '收件人已取件'], ['05-23 12:00', '已由【梧桐街驿站】代签收'], ...onTheWay]),
    ],
    endings: ['available_for_pickup u 4 watched', 'delivered ud 5 ended'],
  },
  'signed for by a station, and no longer tracked': {
    every: 86_400,
    answers: [
      answer('304', [['05-17 12:00', '谢谢选用', '304'], collected]),
      answer('304', [['05-17 12:00', '谢谢选用', '304'], collected]),
    ],
    endings: ['available_for_pickup u 2 watched', 'delivered ud 2 ended presumed'],
  },
  'in a locker, taken out by the courier, delivered': {
    answers: [
      answer('501', [['05-13 12:00', '已放入丰巢柜', '501'], collected]),
      answer('501', [
        ['05-14 10:00', '派件员从柜中取回快件', '501'],
        ['05-13 12:00', '已放入丰巢柜', '501'],
        collected,
      ]),
      answer('301', [
        ['05-14 11:00', '交到收件人手中', '301'],
        ['05-14 10:00', '派件员从柜中取回快件', '501'],
        ['05-13 12:00', '已放入丰巢柜', '501'],
        collected,
      ]),
    ],
    endings: ['available_for_pickup u 2 watched', 'in_transit u 3 watched', 'delivered ud 4 ended'],
  },
  'nothing found, in a state that says signed': {
    answers: [answer('3', [['05-13 12:00', '查无结果']]), answer('1', [collected])],
    endings: ['pending - 0 watched', 'in_transit u 1 watched'],
  },
  'handed to another carrier by a signature': {
    answers: [
      answer('0', [['05-13 12:00', '已签收,签收人是: 转EMS 1199000000017'], collected]),
      answer('3', [['05-13 12:00', '已签收,签收人是: 转EMS 1199000000017'], collected]),
      answer('7', [['05-13 12:00', '已签收,签收人是: 转EMS 1199000000017'], collected]),
    ],
    endings: ['in_transit u 2 watched', 'in_transit - 2 watched', 'in_transit - 2 watched'],
  },
  'a scan reclassified twice': {
    answers: ['5', '501', '301'].map((code) => answer(code, [['05-13 12:00', '处理中', code], collected])),
    endings: ['out_for_delivery u 2 watched', 'available_for_pickup u 2 watched', 'delivered ud 2 ended'],
  },
  'a delivered history moved by eight hours': {
    answers: [answer('3', [signed, ...onTheWay]), answer('3', shift(-8, [signed, ...onTheWay]))],
    endings: ['delivered ud 4 ended', 'delivered u 4 ended'],
  },
  'a history moved by an hour while it grows': {
    answers: [answer('0', [left, collected]), answer('5', shift(1, onTheWay))],
    endings: ['in_transit u 2 watched', 'out_for_delivery u 3 watched'],
  },
  'the time of a delivery corrected': {
    answers: [answer('3', [signed, ...onTheWay]), answer('3', [...shift(2, [signed]), ...onTheWay])],
    endings: ['delivered ud 4 ended', 'delivered u 4 ended'],
  },
  'a delivery in other words': {
    answers: [answer('3', [signed, ...onTheWay]), answer('3', [['05-12 15:00', '交给前台，签收成功'], ...onTheWay])],
    endings: ['delivered ud 4 ended', 'delivered u 4 ended'],
  },
  'a delivery dated three days ahead': {
    answers: [answer('3', [['05-28 08:00', '签收人：本人', '301'], ...onTheWay])],
    endings: ['out_for_delivery u 3 watched expected 1'],
  },
  'a plan listed as the newest scan': {
    answers: [
      answer('0', [['05-24 18:00', '预计送达'], left, collected]),
      answer('5', [['05-24 18:00', '预计送达'], ['05-24 08:00', '联系电话见面单'], left, collected]),
      answer('5', [['05-28 18:00', '预计送达'], ['05-24 08:00', '联系电话见面单'], left, collected]),
    ],
    endings: ['in_transit u 3 watched', 'out_for_delivery u 4 watched', 'out_for_delivery - 4 watched expected 1'],
  },
  'coarse codes with precise texts': {
    answers: [
      answer('0', [['05-12 08:00', '正在派送途中，请您准备签收', '0'], collected]),
      answer('0', [
        ['05-12 12:00', '到达梧桐街自提柜，请及时取件', '0'],
        ['05-12 08:00', '正在派送途中，请您准备签收', '0'],
        collected,
      ]),
    ],
    endings: ['out_for_delivery u 2 watched', 'available_for_pickup u 3 watched'],
  },
  'a delivery that is only announced': {
    answers: [answer('0', [['05-12 08:00', '明日将为您派送'], collected])],
    endings: ['in_transit u 2 watched'],
  },
  'only the normalised times': {
    answers: [{ ...answer('0', []), data: [{ time: null, ftime: '2031-05-11 08:00:00', context: '到达云溪' }] }],
    endings: ['in_transit u 1 watched'],
  },
  'a wrong key in the middle': {
    answers: [
      answer('0', [left, collected]),
      { message: '参数错误', nu: '', ischeck: '0', com: '', status: '400', state: '0', data: [] },
      answer('5', onTheWay),
    ],
    endings: ['in_transit u 2 watched', 'in_transit - 2 watched auth', 'out_for_delivery u 3 watched'],
  },
  'old scans that the carrier has dropped': {
    answers: [answer('0', [left, collected]), answer('5', [out]), answer('3', [signed])],
    endings: ['in_transit u 2 watched', 'out_for_delivery u 3 watched', 'delivered ud 4 ended'],
  },
  'a remark after the delivery': {
    answers: [answer('3', [signed, ...onTheWay]), answer('3', [['05-13 08:00', '谢谢您的好评'], signed, ...onTheWay])],
    endings: ['delivered ud 4 ended', 'delivered u 5 ended'],
  },
  'the oldest scan first, each listed twice': {
    answers: [answer('3', [collected, collected, left, left, out, out, signed, signed])],
    endings: ['delivered ud 4 ended'],
  },
  'trouble that is solved': {
    answers: [
      answer('2', [['05-12 16:00', '地址不详'], ...onTheWay]),
      answer('5', [['05-13 08:00', '小陆正在派件'], ['05-12 16:00', '地址不详'], ...onTheWay]),
    ],
    endings: ['exception ux 4 watched', 'out_for_delivery u 5 watched'],
  },
  'an empty answer after a history': {
    answers: [answer('0', [left, collected]), answer('0', [])],
    endings: ['in_transit u 2 watched', 'in_transit - 2 watched'],
  },
};

test.each(Object.keys(LIVES))('replayed: %s', async (name) => {
  const life = LIVES[name];
  expect(life && (await replay(name, life))).toEqual(life?.endings);
});
