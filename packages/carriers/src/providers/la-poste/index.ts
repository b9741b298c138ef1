import { httpClient, urlBelow } from '../../http/http.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseIdships } from './parse.ts';

/** La Poste accepts no more in a call. */
const BATCH_SIZE = 10;

/** Suivi v2 of La Poste: letters, Colissimo and Chronopost, up to 10 numbers per call. */
export const laPoste = defineProvider({
  name: 'la-poste',
  title: 'La Poste (Suivi v2)',
  about: 'letters, Colissimo and Chronopost',
  capabilities: ['read', 'batch'],
  language: 'fr',
  carriers: { colissimo: 'colissimo', 'la-poste': 'courrier', chronopost: 'chronopost' },
  apiUrl: 'https://api.laposte.fr',
  settings: {
    apiKey: credential(
      'LA_POSTE_API_KEY',
      'your key (X-Okapi-Key) at La Poste',
      'create an application with "Suivi v2" at https://developer.laposte.fr',
    ),
  },
  limits: { batchSize: BATCH_SIZE, concurrency: 2, floorSeconds: 900, callsPerSecond: 1 },
  answers: 'JSON, one or a list: shipment.event[]',
  parse: parseIdships,
  connect: ({ baseUrl, apiKey }) => {
    const url = urlBelow(baseUrl, 'suivi/v2/idships');
    const send = httpClient({ timeoutMs: 15_000, batchSize: BATCH_SIZE });
    const request = { query: { lang: 'fr_FR' }, headers: { 'X-Okapi-Key': apiKey, accept: 'application/json' } };
    return {
      ask: async (questions, signal) => {
        const numbers = questions.map(({ number }) => encodeURIComponent(number)).join(',');
        return parseIdships(await send(`${url}/${numbers}`, request, signal), questions);
      },
    };
  },
});
