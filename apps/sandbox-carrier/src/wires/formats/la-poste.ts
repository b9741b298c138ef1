import type { Says } from '../../journeys/journey.ts';
import type { TextName } from '../../journeys/wording.ts';
import { failureOfCall, replyToRefusal } from '../reply.ts';
import type { Reply, Wire } from '../wire.ts';
import { inZone } from '../zone.ts';

const CODES: Readonly<Record<TextName, string>> = {
  label: 'DR1',
  collected: 'PC1',
  departed: 'ET1',
  departedUnread: 'ET1',
  arrived: 'ET1',
  arrivedInCity: 'MD2',
  cleared: 'PB2',
  outForDelivery: 'MD2',
  atLocker: 'AG1',
  pickedUp: 'DI1',
  delivered: 'DI1',
  held: 'PB1',
  refused: 'RE1',
  unreachable: 'ND1',
  goingBack: 'RE1',
  returned: 'DI2',
};
/** Only the French label distinguishes kinds that share a code. */
const LABELS: Partial<Readonly<Record<TextName, string>>> = {
  arrivedInCity: 'Votre colis est arrivé sur le site qui dessert votre adresse, nous le préparons.',
  outForDelivery: 'Votre colis est en cours de livraison.',
  refused: 'Votre colis a été refusé par le destinataire.',
};

/** Suivi v2 of La Poste: one number is answered alone, several as a list with 207. */
export const laPoste: Wire = {
  name: 'la-poste',
  limit: { calls: 10, seconds: 1 },
  isKnown: ({ headers }) => headers['x-okapi-key'] === 'sandbox-key',
  refused: { status: 401, json: { code: 'UNAUTHORIZED', message: 'The key is invalid.' } },
  tooMany: { status: 429, json: { code: 'TOO_MANY_REQUESTS', message: 'Too many requests.' } },
  routes: [
    {
      method: 'get',
      path: '/suivi/v2/idships/:numbers',
      run: async ({ params }, ask) => {
        const numbers = String(params.numbers).split(',');
        const says = await ask(
          numbers.map((number) => ({ number })),
          'en',
        );
        const failure = failureOfCall(says);
        if (failure) return replyToRefusal(failure, problem);
        const results = numbers.map((number, i) => result(number, says[i]));
        const [only] = results;
        return results.length === 1 && only ? { status: only.returnCode, json: only } : { status: 207, json: results };
      },
    },
  ],
};

function result(number: string, says: Says | undefined) {
  const common = { lang: 'fr_FR', scope: 'open' };
  if (says?.kind === 'not_found') {
    return { ...common, returnCode: 404, returnMessage: 'Numéro inconnu', idShip: number };
  }
  if (says?.kind !== 'found') {
    return { ...common, returnCode: 400, returnMessage: 'Numéro incorrect', idShip: number };
  }
  const event = says.scans.toReversed().map((scan) => {
    const { date, time, offset } = inZone(scan.time, 'Europe/Paris');
    const label = LABELS[scan.text] ?? scan.description;
    return { code: CODES[scan.text], label, date: `${date}T${time}${offset}`, country: 'FR' };
  });
  const shipment = { idShip: says.otherNumber ?? number, product: 'colissimo', isFinal: false, event };
  return { ...common, returnCode: 200, shipment };
}

function problem(status: number, message: string): Reply {
  return { status, json: { code: String(status), message } };
}
