import { callsPerSecond, floorSeconds } from '../limits.ts';
import { address, credential, defineProvider } from '../manifest.ts';
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
  settings: {
    baseUrl: address(
      'DPD_BASE_URL',
      'address of the DPD web services; https://wsshipper.dpd.be in Belgium',
      'https://wsshipper.dpd.nl',
    ),
    delisId: credential('DPD_DELIS_ID', 'your user (DELIS ID) at DPD', OBTAIN),
    password: credential('DPD_PASSWORD', 'your password at DPD', OBTAIN),
  },
  limits: {
    batchSize: 1,
    concurrency: 2,
    floorSeconds: floorSeconds('DPD', 900),
    callsPerSecond: callsPerSecond('DPD', 1),
  },
  answers: 'XML, with or without its SOAP envelope: trackingresult with statusInfo elements',
  parse: parseTrackingData,
  connect: (account, { tokens }) => dpdClient({ ...account, tokens }),
});
