import { httpClient, urlBelow } from '../../http/http.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseStatusDocuments } from './parse.ts';

/** Nova Poshta accepts no more in a call. */
const BATCH_SIZE = 100;

/**
 * TrackingDocument.getStatusDocuments of Nova Poshta (https://developers.novaposhta.ua/documentation): up to 100
 * waybills per call.
 */
export const novaPoshta = defineProvider({
  name: 'nova-poshta',
  title: 'Nova Poshta',
  about: 'the status of waybills in API 2.0; it has no history, so the history is built from the statuses read so far',
  capabilities: ['read', 'batch'],
  language: 'uk',
  carriers: { 'nova-poshta': 'nova-poshta' },
  apiUrl: 'https://api.novaposhta.ua',
  settings: {
    apiKey: credential(
      'NOVA_POSHTA_API_KEY',
      'your API key at Nova Poshta',
      'created under Settings, Security in the business account (https://new.novaposhta.ua); described at https://developers.novaposhta.ua',
    ),
  },
  limits: { batchSize: BATCH_SIZE, concurrency: 2, floorSeconds: 900, callsPerSecond: 1 },
  answers: 'JSON: data[] with StatusCode and Status',
  parse: parseStatusDocuments,
  connect: ({ baseUrl, apiKey }) => {
    const url = urlBelow(baseUrl, 'v2.0/json/');
    const send = httpClient({ timeoutMs: 15_000, batchSize: BATCH_SIZE });
    return {
      ask: async (questions, signal) => {
        const json = {
          apiKey,
          modelName: 'TrackingDocument',
          calledMethod: 'getStatusDocuments',
          methodProperties: { Documents: questions.map(({ number }) => ({ DocumentNumber: number, Phone: '' })) },
        };
        return parseStatusDocuments(await send(url, { json }, signal), questions);
      },
    };
  },
});
