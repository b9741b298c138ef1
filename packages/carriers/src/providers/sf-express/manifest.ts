import { credential, defineProvider } from '../manifest.ts';
import { BATCH_SIZE, sfExpressClient } from './client.ts';
import { parseRoutes } from './parse.ts';

const OBTAIN = 'register at https://qiao.sf-express.com (丰桥), create an app and have the route query approved';

export const sfExpress = defineProvider({
  name: 'sf-express',
  title: 'SF Express (顺丰 丰桥)',
  about: 'routes of SF Express, of your own waybills, or of any with the last four digits of a phone',
  capabilities: ['read', 'batch'],
  language: 'zh',
  carriers: { 'sf-express': 'SF' },
  requires: {},
  apiUrl: 'https://sfapi.sf-express.com',
  otherUrls: 'https://sfapi-sbox.sf-express.com for tests',
  settings: {
    partnerId: credential('SF_EXPRESS_PARTNER_ID', 'your customer code (顾客编码) at SF Express', OBTAIN),
    checkword: credential('SF_EXPRESS_CHECKWORD', 'the check word (校验码) of your app', OBTAIN),
  },
  limits: {
    // A call has one phone: more only for waybills of the operator's own.
    batchSize: 1,
    concurrency: 4,
    floorSeconds: 900,
    callsPerSecond: 5,
  },
  maxBatchSize: BATCH_SIZE,
  answers: 'JSON: msgData or apiResultData, with routeResps[].routes[]',
  parse: parseRoutes,
  connect: (account) => sfExpressClient(account),
});
