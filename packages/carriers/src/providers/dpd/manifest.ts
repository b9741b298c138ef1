import { credential, defineProvider } from '../manifest.ts';
import { dpdClient } from './client.ts';
import { parseTrackingData } from './parse.ts';

const OBTAIN = 'DPD in your country gives shippers access to its web services on request';

export const dpd = defineProvider({
  name: 'dpd',
  title: 'DPD (Belgium, Netherlands)',
  about: 'the parcel life cycle service, for shippers in Belgium and the Netherlands',
  capabilities: ['read'],
  language: 'en',
  carriers: { dpd: 'dpd' },
  requires: {},
  apiUrl: 'https://wsshipper.dpd.nl',
  otherUrls: 'https://wsshipper.dpd.be in Belgium',
  settings: {
    delisId: credential('DPD_DELIS_ID', 'your user (DELIS ID) at DPD', OBTAIN),
    password: credential('DPD_PASSWORD', 'your password at DPD', OBTAIN),
  },
  limits: {
    batchSize: 1,
    concurrency: 2,
    floorSeconds: 900,
    callsPerSecond: 1,
  },
  answers: 'XML, with or without its SOAP envelope: trackingresult with statusInfo elements',
  parse: parseTrackingData,
  connect: (account, { tokens }) => dpdClient({ ...account, tokens }),
});
