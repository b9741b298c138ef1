import { regionOf } from './region.ts';

test.each([
  ['广东省深圳市', 'yto', 'CN-GD'],
  ['【杭州市】', 'zto', 'CN-ZJ'],
  ['深圳龙岗转运中心', 'yunda', 'CN-GD'],
  ['中国内蒙古自治区', 'yto', 'CN-NM'],
  ['某镇营业部', 'yto', 'CN'],
  ['德国', 'yto', 'DE'],
  ['LOS ANGELES, CA US', 'ups', 'US-CA'],
  ['Dayton, OH 45402', 'usps', 'US-OH'],
  ['Hamburg, GERMANY', 'fedex', 'DE'],
  ['Köln', 'dhl-paket', 'DE'],
  ['MADRID, ES', 'dhl', 'ES'],
  ['PARIS, FR', 'ups', 'FR'],
  ['WILMINGTON, DE', 'ups', 'US-DE'],
])('%s of %s is in %s', (place, carrier, region) => {
  expect(regionOf(place, carrier)).toBe(region);
});

test.each([
  ['', 'yto'],
  ['Nowhere', 'no-such-carrier'],
])('%j of %s has no region', (place, carrier) => {
  expect(regionOf(place, carrier)).toBeNull();
});
