import { handOverIn } from './hand-over.ts';

// biome-ignore format: one text per line is readable as a table
test.each([
  ['已签收,签收人是: 转EMS 1199000000017', { carrier: 'china-ems', number: '1199000000017' }],
  ['已转交顺丰，运单号：SF1000000000015', { carrier: 'sf-express', number: 'SF1000000000015' }],
  ['Handed over to EMS, number 1199000000017', { carrier: 'china-ems', number: '1199000000017' }],
  ['Package transferred to USPS', { carrier: 'usps', number: null }],
  ['Tendered to final delivery carrier Canada Post, tracking number 7301938264501837', { carrier: 'canada-post', number: '7301938264501837' }],
  ['Handed over to Royal Mail for delivery', { carrier: 'royal-mail', number: null }],
  ['Handed over to the recipient', null],
  ['Transferred to post office', null],
  ['到达柏州转运中心', null],
  ['Delivered', null],
])('%s hands over to %j', (text, handOver) => {
  expect(handOverIn(text)).toEqual(handOver);
});
