import { meaningOfCode, meaningOfTrace, outcomeOfReason } from './codes.ts';

test('a refusal and a return have a course', () => {
  expect([meaningOfCode('404', '')?.course, meaningOfCode('407', '')?.course]).toEqual(['refused', 'going_back']);
});

test('the text says who signed', () => {
  expect(meaningOfCode('311', '凭取件码签收')?.status).toBe('delivered');
  expect(meaningOfCode('3', '快件已暂存至驿站，请及时领取')?.status).toBe('available_for_pickup');
  expect(meaningOfCode('3', '已签收，签收人：转EMS 1284630517290')?.status).toBe('in_transit');
});

test('the text says whether another delivery is agreed on or under way', () => {
  expect(meaningOfTrace('419', '陈师傅正在派件')).toMatchObject({ status: 'out_for_delivery' });
  expect(meaningOfTrace('419', '约定新派送时间，待派送')).toMatchObject({ status: 'in_transit' });
});

test.each([
  ['没有物流轨迹', 'not_found'],
  ['此单无物流信息', 'not_found'],
  ['快递单号[YT1]不存在', 'not_found'],
  ['缺少CustomerName', 'needs_input'],
  ['套餐次数已用完', 'quota'],
  ['超过QPS限制', 'rate_limited'],
  ['IP白名单校验失败', 'auth'],
  ['用户ID不存在', 'auth'],
  ['LogisticCode长度不正确', 'invalid_number'],
  ['服务器超时', 'transient'],
  ['ShipperCode不支持', 'unreadable'],
])('a refusal because of "%s" is %s', (reason, outcome) => {
  expect(outcomeOfReason(reason)).toBe(outcome);
});
