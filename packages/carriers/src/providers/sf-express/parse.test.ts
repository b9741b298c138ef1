import { response } from '../../testing/answers.ts';
import { testFixtures } from '../../testing/fixtures.ts';
import { parseRoutes } from './parse.ts';

testFixtures(import.meta.url, parseRoutes, 'sf-express');

const requested = [{ number: 'SF7284016359285', carrier: 'sf-express' }];

test.each(['opCode', 'opcode'])('the operation is %s', (name) => {
  const route = { acceptTime: '2031-05-06 10:20:30', acceptAddress: '云溪', remark: '谢谢', [name]: '80' };
  const routeResps = [{ mailNo: 'SF7284016359285', routes: [route] }];
  expect(parseRoutes(response({ success: true, msgData: { routeResps } }), requested)).toMatchObject([
    { scans: [{ status: 'delivered' }] },
  ]);
});
