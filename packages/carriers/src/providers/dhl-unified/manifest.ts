import { integer } from '@pts/core/settings/setting';
import { callsPerSecond, floorSeconds, MAX_DAILY_BUDGET } from '../limits.ts';
import { address, credential, defineProvider } from '../manifest.ts';
import { dhlUnifiedClient } from './client.ts';
import { SERVICES } from './codes.ts';
import { parseShipments } from './parse.ts';

export const dhlUnified = defineProvider({
  name: 'dhl-unified',
  title: 'DHL Shipment Tracking - Unified',
  about: 'the tracking API of the divisions of DHL',
  capabilities: ['read'],
  language: 'en',
  carriers: SERVICES,
  requires: {},
  settings: {
    baseUrl: address('DHL_UNIFIED_BASE_URL', 'address of the DHL API', 'https://api-eu.dhl.com'),
    apiKey: credential(
      'DHL_UNIFIED_API_KEY',
      'your API key at DHL',
      'create an app with "Shipment Tracking - Unified" at https://developer.dhl.com and copy its API key',
    ),
  },
  limits: {
    batchSize: 1,
    concurrency: 2,
    // DHL asks for at most ten queries of a shipment a day.
    floorSeconds: floorSeconds('DHL_UNIFIED', 8640),
    callsPerSecond: callsPerSecond('DHL_UNIFIED', 1),
    dailyBudget: integer(
      'DHL_UNIFIED_DAILY_BUDGET',
      'calls per UTC day; DHL raises it on request',
      250,
      1,
      MAX_DAILY_BUDGET,
    ),
  },
  answers: 'JSON: shipments[].events[]',
  parse: (outcome, requested) => requested.map((each) => parseShipments(outcome, each)),
  connect: (account) => dhlUnifiedClient(account),
});
