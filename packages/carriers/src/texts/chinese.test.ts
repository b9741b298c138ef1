import { handOverOf, meaningOfChinese, signedBy } from './chinese.ts';

const statusOfText = (text: string) => meaningOfChinese(text)?.status ?? 'in_transit';

// biome-ignore format: one text per line is readable as a table
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
  ['被海关扣留', 'exception'],
  ['包裹已销毁', 'exception'],
  ['代收签收，签收人：邻居', 'delivered'],
  ['在柏州滞留', 'exception'],
  ['已派送至梧桐街丰巢', 'available_for_pickup'],
  ['派件到梧桐街小店，请前往梧桐街五号楼下（水站旁）领取您的包裹', 'available_for_pickup'],
  ['', 'in_transit'],
])('the text %j says %s', (text, status) => {
  expect(statusOfText(text)).toBe(status);
});

test.each(['请您准备签收', '等待签收', '未签收', '如未签收请来电'])('%j is not a delivery', (text) => {
  expect(statusOfText(text)).not.toBe('delivered');
});

test('texts distinguish a refused parcel from one being returned', () => {
  expect(meaningOfChinese('收件人拒收')).toEqual({ status: 'exception', course: 'refused' });
  expect(meaningOfChinese('客户拒绝签收')).toEqual({ status: 'exception', course: 'refused' });
  expect(meaningOfChinese('快件退回中')).toEqual({ status: 'exception', course: 'going_back' });
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

// biome-ignore format: one text per line is readable as a table
test.each([
  ['小陆派送完毕并签收，签收人：本人', 'delivered'],
  ['已签收，如需退货请与店家商量', 'delivered'],
  ['已签收。如有疑问，请致电派件员小陆，或到驿站询问', 'delivered'],
  ['已在梧桐街签收，签收人：阳光社区便利店', 'available_for_pickup'],
  ['客户已知会，等待客户签收', 'in_transit'],
  ['已通知客户签收', 'in_transit'],
  ['包裹已完成配送，谢谢选用', 'delivered'],
  ['派件成功', 'delivered'],
  ['快件已送达【快递超市的梧桐街2号】, 感谢选用', 'available_for_pickup'],
  ['快件已由梧桐街26号店代收，请及时取件', 'available_for_pickup'],
  ['派送不成功(与客户约定了新派送时间),待再次派送', 'exception'],
  ['约定新派送时间 2031-05-03,待派送', 'in_transit'],
  ['客户 签收人 : 陆 已签收', 'delivered'],
  ['小陆正在第2次派件 请保持电话畅通', 'out_for_delivery'],
  ['明日派送', 'in_transit'],
  ['计划今天配送', 'in_transit'],
  ['我们尽快为您派送', 'in_transit'],
  ['【小陆】正在派件', 'out_for_delivery'],
  ['邮件已到云溪邮局，请于5日内领取，逾期退回寄件人', 'available_for_pickup'],
  ['请尽快取件，否则将退回', 'available_for_pickup'],
  ['包裹待自提，超时将自动退回', 'available_for_pickup'],
  ['逾期退回', 'exception'],
  ['派送超时，将尽快派送', 'in_transit'],
  ['电话无人接听，无法派送', 'exception'],
  ['电话无人接听，已放入梧桐街丰巢', 'available_for_pickup'],
  ['超出派送范围', 'exception'],
  ['以免无法派送，请保持电话畅通', 'in_transit'],
  ['为避免无法联系到您，快件已放至云溪驿站', 'available_for_pickup'],
  ['如无法联系派件员，请致电客服', 'in_transit'],
  ['航班延误', 'in_transit'],
  ['可能延误，请耐心等待', 'in_transit'],
  ['受天气影响可能会有所延误', 'in_transit'],
  ['被海关查扣', 'exception'],
  ['清关失败', 'exception'],
  ['收件人电话错误', 'exception'],
  ['地址有误，已更正，正在派送', 'out_for_delivery'],
  ['节假日暂停派送', 'in_transit'],
  ['客户要求改期派送', 'in_transit'],
  ['订单已取消', 'exception'],
  ['揽收失败', 'exception'],
  ['拦截失败，继续运输', 'in_transit'],
  ['商家正通知快递公司揽件', 'info_received'],
  ['运单已创建', 'info_received'],
  ['运单已创建，快递员已揽收', 'in_transit'],
  ['安排投递，预计23:59:00前投递（投递员：陆）', 'out_for_delivery'],
  ['安排投递', 'in_transit'],
  ['快递员将快件从丰巢取出', 'in_transit'],
  ['妥投', 'delivered'],
  ['已投妥', 'delivered'],
  ['等待妥投', 'in_transit'],
  ['已妥投到自提点，请及时领取', 'available_for_pickup'],
  ['已投递到您的信箱', 'delivered'],
  ['收件人已从柜中取出', 'delivered'],
  ['已从代收点取出', 'delivered'],
  ['包裹已从梧桐街驿站取走', 'delivered'],
  ['派件员已从代收点取出', 'in_transit'],
  ['收件人未从代收点取出', 'available_for_pickup'],
  ['快件已从丰巢柜取回', 'in_transit'],
  ['投递员已从丰巢取出', 'in_transit'],
  ['小哥已从丰巢柜取出快件', 'in_transit'],
  ['快件超时未取，已从丰巢柜取出', 'in_transit'],
  ['快件已从丰巢柜取走，转至驿站', 'in_transit'],
  ['已从柜机取出，重新安排派送', 'in_transit'],
  ['快件已从丰巢取出，重新派送，请准备签收', 'in_transit'],
  ['快递员已从驿站取走，已送货上门', 'delivered'],
  ['快件存放丰巢柜逾期未取回', 'available_for_pickup'],
  ['快件存放超时，客户已付费取出', 'delivered'],
  ['客户已从丰巢取回', 'delivered'],
  ['已存入丰巢柜，超时将被取出', 'available_for_pickup'],
  ['商家已取回', 'returned'],
  ['快件已退回网点', 'in_transit'],
  ['快件已退回发件网点', 'exception'],
  ['已交接给末端派送商', 'in_transit'],
  ['客户已收货', 'delivered'],
  ['客户已确认收货地址', 'in_transit'],
  ['签收人在【梧桐街丰巢柜】领取', 'delivered'],
  ['包裹已交付收件人', 'delivered'],
  ['请送至收件人手中', 'in_transit'],
  ['快件退回，已转EMS 1199000000017', 'exception'],
  ['不在派送范围，已转邮政派送', 'in_transit'],
])('the statement %j says %s: only what has happened', (text, status) => {
  expect(statusOfText(text)).toBe(status);
});

// biome-ignore format: one text per line is readable as a table
test.each([
  ['签收人凭取货码签收', 'delivered'],
  ['由【本人】签收', 'delivered'],
  ['签收人：门卫', 'delivered'],
  ['已被 本人 签收', 'delivered'],
  ['快件被 代签收', null],
  ['投递并签收，签收人：他人收 26号菜鸟驿站', 'available_for_pickup'],
  ['投递并签收，签收人：他人收 草签', 'delivered'],
  ['梧桐街驿站 代签收', 'available_for_pickup'],
  ['已投到信报箱', 'delivered'],
  ['放在门口鞋架上', 'delivered'],
  ['在梧桐街驿站完成取件', 'delivered'],
  ['收件人已从柜中取件', 'delivered'],
  ['已从代收点取出', 'delivered'],
  ['派件员已从代收点取出', 'in_transit'],
  ['快递员已取走快件', 'in_transit'],
  ['快件超时未取，已从丰巢柜取出', 'in_transit'],
  ['收件人已取回快件', 'delivered'],
  ['您已在云溪驿站取件，期待再见', 'delivered'],
  ['已存入梧桐街丰巢柜，请凭码领取', 'available_for_pickup'],
  ['已存入梧桐街智能柜，请凭取件码取走', 'available_for_pickup'],
  ['您在梧桐街驿站有待取件的包裹', 'available_for_pickup'],
  ['签收人：梧桐街生活超市', 'available_for_pickup'],
  ['已签收，签收人在【梧桐街丰巢柜】(8号柜)领取', 'delivered'],
  ['已签收，签收人：梧桐街丰巢柜，请及时领取', 'available_for_pickup'],
  ['物业代收', 'delivered'],
  ['梧桐街便利店代收', 'available_for_pickup'],
  ['退件已签收，签收人：寄件人', 'returned'],
  ['退回件由寄件人签收', 'returned'],
  ['感谢选用', null],
  ['Ready for pickup at Larkhaven', 'available_for_pickup'],
  ['Delivered, to original sender', 'returned'],
  ['Delivered', null],
])('a signature with the words %j is %s; null leaves it to the code', (text, status) => {
  expect(signedBy(text)).toBe(status);
});

// biome-ignore format: one text per line is readable as a table
test.each([
  ['Delivered, front porch', 'delivered'],
  ['Signed for by: HOLT', 'delivered'],
  ['Will be delivered on Monday', 'in_transit'],
  ['Expected to be delivered by noon', 'in_transit'],
  ['Could not be delivered: nobody home', 'exception'],
  ['Delivery attempted', 'exception'],
  ['Insufficient address', 'exception'],
  ['Out for delivery', 'out_for_delivery'],
  ['On the van for delivery', 'out_for_delivery'],
  ['Will be out for delivery tomorrow', 'in_transit'],
  ['Label created, awaiting item', 'info_received'],
  ['Shipment information received', 'info_received'],
  ['Shipment picked up', 'in_transit'],
  ['Customs clearance complete', 'in_transit'],
  ['Awaiting collection by the addressee', 'available_for_pickup'],
  ['Delivered to a parcel locker', 'available_for_pickup'],
  ['Refused by the addressee', 'exception'],
  ['Return to sender initiated', 'exception'],
  ['Returned to the sender', 'returned'],
  ['Arrived at the facility of Larkhaven', 'in_transit'],
])('the English text %j says %s', (text, status) => {
  expect(statusOfText(text)).toBe(status);
});

test('English texts, too, distinguish a refused parcel from one being returned', () => {
  expect(meaningOfChinese('Refused by the addressee')?.course).toBe('refused');
  expect(meaningOfChinese('Being returned to sender')?.course).toBe('going_back');
});
