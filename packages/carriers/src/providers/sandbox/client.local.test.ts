import { recordingServer, stopServers } from '../../testing/local-server.ts';
import { sandboxClient } from './client.ts';

afterEach(stopServers);

const clientOf = (baseUrl: string) => sandboxClient({ baseUrl, batchSize: 40 });

const questions = [
  { number: 'SBXDELIVERED0042', carrier: 'sandbox' },
  { number: 'SF7284016359285', carrier: 'sf-express', phone: '4821' },
];

test.each([
  [401, 'auth'],
  [429, 'rate_limited'],
  [500, 'transient'],
])('HTTP %i fails every number as %s', async (status, failure) => {
  const { baseUrl } = await recordingServer({ status, body: '' });
  expect(await clientOf(baseUrl).ask(questions)).toMatchObject([{ failure }, { failure }]);
});
