import { carrierNamed, findCarrier } from './registry.ts';
import { POST_OF_COUNTRY } from './registry-posts.ts';

test('every post is a carrier, at home where its S10 items come from', () => {
  expect(POST_OF_COUNTRY.size).toBeGreaterThanOrEqual(191);
  for (const [country, code] of POST_OF_COUNTRY) {
    expect(findCarrier(code, { sandbox: false })).toMatchObject({ type: 'globalpost' });
    if (country !== 'DK') expect(findCarrier(code, { sandbox: false })).toMatchObject({ country });
  }
});

test.each([
  ['圆通速递', 'yto'],
  ['圆通', 'yto'],
  ['韵达快递', 'yunda'],
  ['京东快递', 'jd'],
  ['顺丰', 'sf-express'],
  ['顺丰快运', 'sf-freight'],
  ['安能物流', 'ane'],
  ['安能', 'ane-express'],
  ['SF express ', 'sf-express'],
  ['快递', undefined],
])('the carrier that shops call %s is %s', (name, code) => {
  expect(carrierNamed(name, { sandbox: false })?.code).toBe(code);
});
