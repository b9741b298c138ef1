import { httpClient, urlBelow } from '../../http/http.ts';
import { askEach } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { COMPANIES, parseTrackingInfo } from './parse.ts';

/** The tracking API of SweetTracker (https://info.sweettracker.co.kr/apidoc): one number of one carrier per call. */
export const sweettracker = defineProvider({
  name: 'sweettracker',
  title: 'SweetTracker (스마트택배)',
  about: 'queries for Korean carriers',
  capabilities: ['read'],
  cost: 'per call',
  language: 'ko',
  carriers: COMPANIES,
  apiUrl: 'https://info.sweettracker.co.kr',
  settings: {
    key: credential(
      'SWEETTRACKER_KEY',
      'your key at SweetTracker (스마트택배)',
      'register at https://tracking.sweettracker.co.kr; described at https://info.sweettracker.co.kr/apidoc',
    ),
  },
  limits: { batchSize: 1, concurrency: 2, floorSeconds: 1800, callsPerSecond: 1 },
  answers: 'JSON: trackingDetails[]',
  parse: (outcome, requested) => requested.map((each) => parseTrackingInfo(outcome, each)),
  connect: ({ baseUrl, key }) => {
    const url = urlBelow(baseUrl, 'api/v1/trackingInfo');
    const send = httpClient({ timeoutMs: 20_000 });
    return {
      ask: askEach(({ number, carrier }, signal) => {
        const query = { t_key: key, t_code: COMPANIES[carrier] ?? '', t_invoice: number };
        return send(url, { query }, signal);
      }, parseTrackingInfo),
    };
  },
});
