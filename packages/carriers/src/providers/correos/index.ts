import { httpClient, urlBelow } from '../../http/http.ts';
import { askEach } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseLocator } from './parse.ts';

const OBTAIN = 'sent by Correos to customers with a contract, together with the access to its web services';

/**
 * `eventos_envio_servicio_auth` of Correos, as its own extensions for shops (https://github.com/correosoficial) call
 * it: one shipment per call.
 */
export const correos = defineProvider({
  name: 'correos',
  title: 'Correos (Spain)',
  about: 'the locator (Localizador) for customers with a contract',
  capabilities: ['read'],
  language: 'es',
  carriers: { 'correos-spain': 'correos' },
  apiUrl: 'https://localizador.correos.es',
  settings: {
    username: credential('CORREOS_USERNAME', 'your user of the web services of Correos', OBTAIN),
    password: credential('CORREOS_PASSWORD', 'the password of that user', OBTAIN),
  },
  limits: { batchSize: 1, concurrency: 2, floorSeconds: 900, callsPerSecond: 1 },
  answers: 'JSON: [].eventos[]',
  parse: (outcome, requested) => requested.map((each) => parseLocator(outcome, each)),
  connect: ({ baseUrl, username, password }) => {
    const url = urlBelow(baseUrl, 'canonico/eventos_envio_servicio_auth');
    const send = httpClient({ timeoutMs: 15_000 });
    const request = {
      query: { codIdioma: 'ES', indUltEvento: 'N' },
      basic: { user: username, password },
      headers: { accept: 'application/json' },
    };
    return {
      ask: askEach(({ number }, signal) => send(`${url}/${encodeURIComponent(number)}`, request, signal), parseLocator),
    };
  },
});
