import { credential, defineProvider } from '../manifest.ts';
import { ACCEPTED, parseCallback, verifyCallback } from './callback.ts';
import { kuaidi100Client } from './client.ts';
import { COMPANIES } from './companies.ts';
import { parseQuery } from './parse.ts';

const OBTAIN = 'shown in your enterprise account at https://api.kuaidi100.com';

export const kuaidi100 = defineProvider({
  name: 'kuaidi100',
  title: 'Kuaidi100 (快递100)',
  about: 'queries and callbacks for Chinese carriers, most posts and some international carriers',
  capabilities: ['read', 'push'],
  language: 'zh',
  cost: 'per call',
  carriers: COMPANIES,
  // These answer only to someone who knows the last four digits of the sender's or receiver's phone.
  requires: { 'sf-express': ['phone'], 'sf-freight': ['phone'], zto: ['phone'] },
  apiUrl: 'https://poll.kuaidi100.com',
  settings: {
    customer: credential('KUAIDI100_CUSTOMER', 'your customer number at Kuaidi100', OBTAIN),
    key: credential('KUAIDI100_KEY', 'your key at Kuaidi100', OBTAIN),
  },
  limits: {
    batchSize: 1,
    concurrency: 8,
    // Kuaidi100 locks numbers that are queried sooner.
    floorSeconds: 1800,
    callsPerSecond: 10,
  },
  isPlayedByDefault: true,
  playedBySandbox: {
    account: { KUAIDI100_CUSTOMER: 'sandbox-customer', KUAIDI100_KEY: 'sandbox-key' },
    limits: { calls_per_second: 50 },
  },
  callbacks: {
    // A subscription is charged, so a guessed carrier must have answered first.
    subscribe: 'when-found',
    batchSize: 1,
    // It arrives after five to ten minutes.
    firstCallbackSeconds: 900,
    resubscribeSeconds: 1800,
    verify: verifyCallback,
    parse: parseCallback,
    accepted: ACCEPTED,
  },
  answers: 'JSON of query.do: data[]',
  parse: (outcome, requested) => requested.map((each) => parseQuery(outcome, each)),
  connect: (account) => kuaidi100Client(account),
});
