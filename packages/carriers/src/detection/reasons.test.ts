import { detectWithReasons } from './detect.ts';
import type { MatchReason } from './format.ts';

const off = { sandbox: false };

test.each<[string, string, MatchReason]>([
  ['YT8962646785999', 'yto', 'marks'],
  ['SF7284016359285', 'sf-express', 'marks'],
  ['238401736590', 'sf-express', 'form'],
  ['75283940617254', 'zto', 'marks'],
  ['284017365', 'deppon', 'form'],
  ['EA407182533CN', 'china-ems', 'marks_and_check_digit'],
  ['EA407182539CN', 'china-ems', 'wrong_check_digit'],
  ['1Z7K3R950361840278', 'ups', 'marks_and_check_digit'],
  ['1Z7K3R950361840279', 'ups', 'wrong_check_digit'],
  ['4617302852', 'dhl', 'check_digit'],
  ['783519204649', 'fedex', 'check_digit'],
  ['4PX3018402756193CN', '4px', 'marks'],
  ['MQK284017365', 'purolator', 'form'],
])('%s may be of %s because of %s', (number, carrier, reason) => {
  expect(detectWithReasons(number, off).find((candidate) => candidate.carrier === carrier)?.reason).toBe(reason);
});

test('a number of the sandbox is reported as such', () => {
  expect(detectWithReasons('SBXEXPRESS1', { sandbox: true })).toEqual([
    { carrier: 'sandbox', confidence: 100, reason: 'sandbox' },
  ]);
});
