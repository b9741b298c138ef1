import { aggregatorCallbacks } from '../../provider-callbacks.ts';
import { credential, defineProvider } from '../manifest.ts';
import { ACCEPTED, parseCallback, verifyCallback } from './callback.ts';
import { CARRIERS } from './carriers.ts';
import { track17Client } from './client.ts';
import { parseTrackInfo } from './parse.ts';

const BATCH_SIZE = 40;

export const track17 = defineProvider({
  name: '17track',
  title: '17TRACK',
  about: 'registrations, queries and callbacks for most carriers and all posts; a registration is charged',
  capabilities: ['read', 'batch', 'push', 'release'],
  carriers: CARRIERS,
  requires: { 'sf-express': ['phone'] },
  apiUrl: 'https://api.17track.net/track/v2.4',
  settings: {
    key: credential(
      'TRACK17_KEY',
      'your key at 17TRACK',
      'shown under Settings, Security at https://api.17track.net; set the address for callbacks under Settings, Notification',
      { verifiesCallbacks: true },
    ),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 3,
    // 17TRACK asks the carrier every few hours.
    floorSeconds: 1800,
    callsPerSecond: 3,
  },
  playedBySandbox: {
    account: { TRACK17_KEY: 'sandbox-key' },
  },
  callbacks: aggregatorCallbacks(
    { verify: verifyCallback, parse: parseCallback, accepted: ACCEPTED },
    // Stopping refunds nothing and can be undone once, for 90 days: a number that is moved back and forth must not use up the
    // one undo.
    { batchSize: BATCH_SIZE, release: { batchSize: BATCH_SIZE, holdSeconds: 86_400, restarts: 1 } },
  ),
  answers: 'JSON of /gettrackinfo: data.accepted[].track_info',
  parse: parseTrackInfo,
  connect: (account) => track17Client({ ...account, batchSize: BATCH_SIZE }),
});
