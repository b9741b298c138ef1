import { handOverOf, meaningOfChinese } from '../../scans/chinese.ts';
import { meaningOfCode } from './codes.ts';

const statusOfText = (text: string) => meaningOfChinese(text).status;

// biome-ignore format: one text per line reads as the table it is
test.each([
  ['商家已下单，等候上门', 'info_received'],
  ['等待揽收', 'info_received'],
  ['柏州南门已揽收', 'in_transit'],
  ['柏州南门-小陆-已收件', 'in_transit'],
  ['到了柏州中转场', 'in_transit'],
  ['到达云溪派送网点', 'in_transit'],
  ['到达云溪配送中心', 'in_transit'],
  ['小陆正在派件', 'out_for_delivery'],
  ['派送途中，请准备签收', 'out_for_delivery'],
  ['暂存于梧桐街，凭取件码领走', 'available_for_pickup'],
  ['放进丰巢，等候领取', 'available_for_pickup'],
  ['梧桐街驿站代签收', 'available_for_pickup'],
  ['已签收，签收人：本人', 'delivered'],
  ['凭码领走，已在驿站签收', 'delivered'],
  ['家人代签收', 'delivered'],
  ['投递完成，已妥投', 'delivered'],
  ['收件人拒收', 'exception'],
  ['投递不成功，改日再来', 'exception'],
  ['应寄件人要求退回', 'exception'],
  ['退回件已签收', 'returned'],
  ['快件已拦截', 'exception'],
  ['在柏州滞留', 'exception'],
  ['已派送至梧桐街丰巢', 'available_for_pickup'],
  ['', 'in_transit'],
])('the text %j says %s', (text, status) => {
  expect(statusOfText(text)).toBe(status);
});

test.each(['请您准备签收', '等待签收', '未签收', '如未签收请来电'])('%j is no delivery', (text) => {
  expect(statusOfText(text)).not.toBe('delivered');
});

test('texts tell a parcel that is refused from one that goes back', () => {
  expect(meaningOfChinese('收件人拒收')).toEqual({ status: 'exception', course: 'refused' });
  expect(meaningOfChinese('快件退回中')).toEqual({ status: 'exception', course: 'going_back' });
});

test('a code nobody knows is not guessed, and a coarse one leaves it to the text', () => {
  for (const code of ['', '305', '1099', 'constructor', '0', '1', '1002'])
    expect(meaningOfCode(code, '')).toBeUndefined();
});

test.each([
  ['转EMS', { carrier: 'china-ems', number: null }],
  ['已签收,签收人是: 转EMS1199000000017', { carrier: 'china-ems', number: '1199000000017' }],
  ['已转交顺丰，运单号：SF1000000000015', { carrier: 'sf-express', number: 'SF1000000000015' }],
  ['到达柏州转运中心', null],
  ['离开中转场', null],
])('%s hands over to %j', (text, carrier) => {
  expect(handOverOf(text)).toEqual(carrier);
});

// biome-ignore format: the documented states, as their table has them
test.each(['0', '1', '2', '3', '4', '5', '6', '7', '8', '10', '11', '12', '13', '14', '101', '102', '103', '201', '202', '203', '204', '205', '206',
  '207', '208', '209', '210', '301', '302', '303', '304', '401', '501', '1001', '1002', '1003'])('the documented state %s is known', (code) => {
  expect(['0', '1', '1002'].includes(code) || meaningOfCode(code, '') !== undefined).toBe(true);
});
