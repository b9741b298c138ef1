import { httpClient, urlBelow } from '../../http/http.ts';
import { oauth } from '../../http/oauth.ts';
import { askTogether } from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { parseObjetos } from './parse.ts';

const OBTAIN =
  'of your contract at Correios: the user of Meu Correios, and the access code of CWS (https://cws.correios.com.br)';

/** Correios accepts no more in a call. */
const BATCH_SIZE = 50;

/**
 * The API Rastro of Correios (Manual de Integração of Correios, https://www.correios.com.br/atendimento/developers): up
 * to 50 objects per call, with a token for the posting card, valid for a day.
 */
export const correios = defineProvider({
  name: 'correios',
  title: 'Correios (Brazil)',
  about: 'the API Rastro, for customers with a contract',
  capabilities: ['read', 'batch'],
  language: 'pt',
  carriers: { 'correios-brazil': 'correios' },
  apiUrl: 'https://api.correios.com.br',
  otherUrls: 'https://apihom.correios.com.br for tests',
  settings: {
    username: credential('CORREIOS_USERNAME', 'your user of Meu Correios', OBTAIN),
    accessCode: credential('CORREIOS_ACCESS_CODE', 'the access code (código de acesso) to the APIs', OBTAIN),
    postingCard: credential('CORREIOS_POSTING_CARD', 'the number of your posting card (cartão de postagem)', OBTAIN),
  },
  limits: { batchSize: BATCH_SIZE, concurrency: 2, floorSeconds: 900, callsPerSecond: 2 },
  answers: 'JSON: objetos[].eventos[]',
  parse: parseObjetos,
  connect: ({ baseUrl, username, accessCode, postingCard }, { tokens }) => {
    const url = urlBelow(baseUrl, 'srorastro/v1/objetos');
    const send = httpClient({ timeoutMs: 15_000, batchSize: BATCH_SIZE });
    const auth = oauth({
      provider: 'correios',
      title: 'Correios',
      tokenUrl: urlBelow(baseUrl, 'token/v1/autentica/cartaopostagem'),
      clientId: username,
      clientSecret: accessCode,
      style: { basic: { user: username, password: accessCode }, json: { numero: postingCard } },
      member: 'token',
      lifeSeconds: 12 * 3600,
      isRefused: (outcome) => outcome.kind === 'response' && (outcome.status === 401 || outcome.status === 403),
      store: tokens,
    });
    const headers = { accept: 'application/json', 'accept-language': 'pt-BR' };
    return {
      prepare: auth.prepare,
      ask: askTogether((questions, signal) => {
        const query = new URLSearchParams(questions.map(({ number }) => ['codigosObjetos', number]));
        query.set('resultado', 'T');
        return auth.call((bearer) => send(`${url}?${query}`, { bearer, headers }, signal), signal);
      }, parseObjetos),
    };
  },
});
