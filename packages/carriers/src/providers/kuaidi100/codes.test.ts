import { statusOfCode, statusOfState, statusOfText } from './codes.ts';

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
  ['应寄件人要求退回', 'returned'],
  ['', 'in_transit'],
])('the text %j says %s', (text, status) => {
  expect(statusOfText(text)).toBe(status);
});

test.each(['请您准备签收', '等待签收', '未签收', '如未签收请来电'])('%j is no delivery', (text) => {
  expect(statusOfText(text)).not.toBe('delivered');
});

test('a locker that signed has not delivered', () => {
  expect(statusOfCode('304')).toBe('available_for_pickup');
  expect(statusOfState('304')).toBe('available_for_pickup');
  expect(statusOfCode('303')).toBe('delivered');
});

test('a code nobody knows is not guessed', () => {
  for (const code of ['', '305', '1099', 'constructor']) expect(statusOfCode(code)).toBeUndefined();
});

test('a coarse state leaves the newest scan open', () => {
  expect(statusOfState('0')).toBeUndefined();
  expect(statusOfState('1')).toBeUndefined();
  expect(statusOfState('5')).toBe('out_for_delivery');
});
