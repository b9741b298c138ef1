import { text } from '@pts/core/settings';
import { credential, defineProvider } from '../manifest.ts';
import { kdniaoClient } from './client.ts';
import { COMPANIES } from './companies.ts';
import { parseTraces } from './parse.ts';

const OBTAIN = 'shown in your account at https://www.kdniao.com';
const REQUEST_TYPE = '8001';

export const kdniao = defineProvider({
  name: 'kdniao',
  title: 'Kdniao (快递鸟)',
  about: 'instant queries for Chinese carriers',
  capabilities: ['read'],
  language: 'zh',
  carriers: COMPANIES,
  // These answer only to someone who knows the last four digits of the sender's or receiver's phone.
  requires: { 'sf-express': ['phone'], zto: ['phone'] },
  apiUrl: 'https://api.kdniao.com',
  settings: {
    customer: credential('KDNIAO_CUSTOMER', 'your user id (EBusinessID) at Kdniao', OBTAIN),
    apiKey: credential('KDNIAO_API_KEY', 'your API key at Kdniao', OBTAIN),
    requestType: {
      ...text('KDNIAO_REQUEST_TYPE', 'the query that you have booked: 8001 (paid) or 1002 (free, few carriers)', {
        schema: { enum: [REQUEST_TYPE, '1002'] },
      }),
      fallback: REQUEST_TYPE,
    },
  },
  limits: {
    batchSize: 1,
    concurrency: 8,
    floorSeconds: 1800,
    callsPerSecond: 20,
  },
  answers: 'JSON: Traces[]',
  parse: parseTraces,
  connect: (account) => kdniaoClient(account),
});
