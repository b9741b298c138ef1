import { credential, defineProvider } from '../manifest.ts';
import { BATCH_SIZE, dhlPaketClient } from './client.ts';
import { parsePieces } from './parse.ts';

const OBTAIN = 'create an app with "Parcel DE Tracking (Post & Parcel Germany)" at https://developer.dhl.com';
const OBTAIN_USER = 'the tracking user of your business customer account (Geschäftskundenportal) at DHL Paket';

export const dhlPaket = defineProvider({
  name: 'dhl-paket',
  title: 'DHL Paket (Germany)',
  about: 'Parcel DE Tracking, for business customers',
  capabilities: ['read', 'batch'],
  language: 'en',
  carriers: { 'dhl-paket': 'parcel-de' },
  requires: {},
  apiUrl: 'https://api-eu.dhl.com',
  otherUrls: 'https://api-sandbox.dhl.com for tests',
  settings: {
    apiKey: credential('DHL_PAKET_API_KEY', 'the API key of your app at DHL', OBTAIN),
    apiSecret: credential('DHL_PAKET_API_SECRET', 'the API secret of your app at DHL', OBTAIN),
    appName: credential('DHL_PAKET_APP_NAME', 'the name (appname) of your tracking user', OBTAIN_USER),
    password: credential('DHL_PAKET_PASSWORD', 'the password of your tracking user', OBTAIN_USER),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 2,
    floorSeconds: 900,
    callsPerSecond: 1,
  },
  answers: 'XML of d-get-piece-detail: nested data elements',
  parse: parsePieces,
  connect: (account) => dhlPaketClient(account),
});
