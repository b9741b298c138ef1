import { credential, defineProvider } from '../manifest.ts';
import { BATCH_SIZE, laPosteClient } from './client.ts';
import { parseIdships } from './parse.ts';

export const laPoste = defineProvider({
  name: 'la-poste',
  title: 'La Poste (Suivi v2)',
  about: 'letters, Colissimo and Chronopost',
  capabilities: ['read', 'batch'],
  language: 'fr',
  carriers: { colissimo: 'colissimo', 'la-poste': 'courrier', chronopost: 'chronopost' },
  requires: {},
  apiUrl: 'https://api.laposte.fr',
  settings: {
    apiKey: credential(
      'LA_POSTE_API_KEY',
      'your key (X-Okapi-Key) at La Poste',
      'create an application with "Suivi v2" at https://developer.laposte.fr',
    ),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 2,
    floorSeconds: 900,
    callsPerSecond: 1,
  },
  answers: 'JSON, one or a list: shipment.event[]',
  parse: parseIdships,
  connect: (account) => laPosteClient(account),
});
