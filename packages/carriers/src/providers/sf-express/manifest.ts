import { integer } from '@pts/core/settings/setting';
import { callsPerSecond, floorSeconds } from '../limits.ts';
import { address, credential, defineProvider } from '../manifest.ts';
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
  settings: {
    baseUrl: address(
      'SF_EXPRESS_BASE_URL',
      'address of the SF Express API; https://sfapi-sbox.sf-express.com for tests',
      'https://sfapi.sf-express.com',
    ),
    partnerId: credential('SF_EXPRESS_PARTNER_ID', 'your customer code (顾客编码) at SF Express', OBTAIN),
    checkword: credential('SF_EXPRESS_CHECKWORD', 'the check word (校验码) of your app', OBTAIN),
  },
  limits: {
    batchSize: integer(
      'SF_EXPRESS_BATCH_SIZE',
      'numbers per call; more than 1 only for waybills of your own, because a call has one phone',
      1,
      1,
      BATCH_SIZE,
    ),
    concurrency: 4,
    floorSeconds: floorSeconds('SF_EXPRESS', 900),
    callsPerSecond: callsPerSecond('SF_EXPRESS', 5),
  },
  answers: 'JSON: msgData or apiResultData, with routeResps[].routes[]',
  parse: parseRoutes,
  connect: (account) => sfExpressClient(account),
});
