import { deriveSubStatus } from '@pts/core/tracking/derive';
import { PROVIDERS } from '../providers/index.ts';
import { type Kind, SPOKEN, spoken } from '../testing/spoken.ts';
import { heard } from './heard.ts';

const NUMBER = 'A123456785';

/** The newest scan of a parcel whose carrier says this, with a code as coarse as its own. */
function told(provider: string, text: string, kind: Kind) {
  const manifest = PROVIDERS.find(({ name }) => name === provider);
  const [carrier = ''] = Object.keys(manifest?.carriers ?? {});
  const outcome = spoken(provider, {
    number: NUMBER,
    scans: [
      { text: '', kind: 'moving' },
      { text, kind },
    ],
  });
  const [answer] = manifest?.parse(outcome, [{ number: NUMBER, carrier }]) ?? [];
  if (answer?.kind !== 'found') throw new Error(`${provider}: ${JSON.stringify(answer)}`);
  const scans = answer.scans.toSorted((a, b) => a.time.localeCompare(b.time));
  const { status, course } = scans.at(-1) ?? {};
  return { said: course ?? status, parcel: deriveSubStatus(scans, answer.pieces) };
}

/** Each with the codes that it comes with, and what it means for the scan and for the parcel. */
const SENTENCES: readonly (readonly [text: string, kinds: readonly Kind[], said: string, parcel: string])[] = [
  ['The shipment is being returned to the sender', ['moving', 'returning', 'trouble'], 'going_back', 'exception'],
  ['Returning package to shipper', ['moving', 'returning', 'trouble'], 'going_back', 'exception'],
  ['Return to sender', ['moving', 'returning', 'trouble'], 'going_back', 'exception'],
  ['Delivered, To Original Sender', ['moving', 'returning', 'delivered'], 'returned', 'returned'],
  [
    'The shipment has been returned to the sender and delivered to the shipper',
    ['moving', 'returning', 'trouble', 'delivered'],
    'returned',
    'returned',
  ],
  ['Your package was released by the customs agency.', ['moving', 'trouble'], 'in_transit', 'in_transit'],
  ['Delivered to agent for onward delivery', ['moving', 'delivered'], 'in_transit', 'in_transit'],
  ['Delivered to local depot', ['moving', 'delivered'], 'in_transit', 'in_transit'],
  ['Delivered, left at the front door', ['delivered'], 'delivered', 'delivered'],
  ['Sorted at the hub', ['moving'], 'in_transit', 'in_transit'],
  ['Parcel en route to the original shipper', ['moving', 'returning', 'trouble'], 'going_back', 'exception'],
  ['Heading back to the seller', ['moving', 'returning', 'trouble'], 'going_back', 'exception'],
  ['Return delivered to the merchant', ['moving', 'returning', 'trouble', 'delivered'], 'returned', 'returned'],
  ['The parcel is back with the sender', ['moving', 'returning', 'trouble'], 'returned', 'returned'],
  ['Returning from delivery to the depot', ['moving'], 'in_transit', 'in_transit'],
  ['A customs agency has cleared the shipment', ['moving', 'trouble'], 'in_transit', 'in_transit'],
  ['Import clearance complete', ['moving', 'trouble'], 'in_transit', 'in_transit'],
  ['Delivered to the destination hub', ['moving', 'delivered'], 'in_transit', 'in_transit'],
  ['Handed over to the local delivery partner', ['moving', 'delivered'], 'in_transit', 'in_transit'],
  ['Otherwise it goes back to the sender', ['moving'], 'in_transit', 'in_transit'],
];

test('every provider is spoken, except the sandbox and that of test keys, which have no texts to read', () => {
  const filledIn = PROVIDERS.filter(({ carriers }) => Object.keys(carriers).length > 0).map(({ name }) => name);
  expect([...SPOKEN, 'sandbox', 'test'].sort()).toEqual(filledIn.sort());
});

describe.each(SPOKEN)('%s', (provider) => {
  test.each(SENTENCES.flatMap(([text, kinds, ...means]) => kinds.map((kind) => [text, kind, ...means] as const)))(
    '"%s" with the code for %s is %s',
    (text, kind, said, parcel) => {
      expect(told(provider, text, kind)).toEqual({ said, parcel });
    },
  );
});

// biome-ignore format: one text per line is readable as a table
test.each([
  ['exception', 'Return label link emailed to return sender', 'info_received'],
  ['exception', 'The package will be returned to the sender.', 'exception'],
  ['exception', 'Delivery attempted. If nobody collects it, it is returned to the sender.', 'exception'],
  ['available_for_pickup', 'Ready for pickup, returning to sender on 4 May', 'available_for_pickup'],
  ['exception', 'Avisé. À défaut, votre colis est retourné à l’expéditeur.', 'exception'],
  ['exception', 'Returned to shipper', 'returned'],
  ['delivered', 'Die Sendung wurde dem Absender zugestellt.', 'returned'],
  ['in_transit', 'Die Sendung wird an den Absender zurückgesandt.', 'going_back'],
  ['exception', 'Die Sendung konnte nicht zugestellt werden und wird an den Absender zurückgesandt.', 'going_back'],
  ['delivered', 'Votre colis a été livré à l’expéditeur.', 'returned'],
  ['exception', 'Votre colis est retourné à l’expéditeur.', 'going_back'],
  ['in_transit', '包裹正在退回寄件人', 'going_back'],
  ['delivered', '包裹已退还寄件人', 'returned'],
  ['out_for_delivery', '如您需要退回寄件人，请联系客服', 'out_for_delivery'],
  ['exception', 'Cleared customs', 'in_transit'],
  ['exception', 'Not yet cleared by the customs office', 'exception'],
  ['exception', 'Die Sendung wurde vom Zoll freigegeben.', 'in_transit'],
  ['exception', '海关已放行', 'in_transit'],
  ['exception', '等待海关放行', 'exception'],
  ['delivered', 'Delivered to Agent for Final Delivery', 'in_transit'],
  ['delivered', 'Delivered, To Agent', 'delivered'],
  ['delivered', 'Die Sendung wurde im Ziel-Paketzentrum ausgeliefert.', 'in_transit'],
  ['delivered', 'Votre colis a été remis au transporteur.', 'in_transit'],
  ['delivered', '快件已送达【云溪网点】', 'in_transit'],
  ['delivered', '已签收，签收人：本人', 'delivered'],
  ['info_received', 'Return to sender label created', 'info_received'],
  ['exception', 'RTO initiated', 'going_back'],
  ['delivered', 'RTO delivered', 'returned'],
  ['in_transit', 'In transit back to origin', 'going_back'],
  ['exception', 'Undeliverable, return in transit', 'going_back'],
  ['exception', 'Return to sender completed', 'returned'],
  ['in_transit', 'The shipper has received the returned parcel', 'returned'],
  ['exception', 'Not delivered, returned to the local office', 'exception'],
  ['exception', 'Delivery failed, a notice was sent to the sender', 'exception'],
  ['exception', 'The shipment was returned to the shipper’s address', 'returned'],
  ['in_transit', 'Die Retoure ist beim Händler angekommen.', 'returned'],
  ['in_transit', 'Die Rücksendung wurde abgeschlossen.', 'returned'],
  ['exception', 'Die Sendung ist auf dem Rückweg.', 'going_back'],
  ['in_transit', 'Das Retourenlabel wurde erstellt.', 'info_received'],
  ['exception', 'Die Sendung kam in das Depot zurück.', 'exception'],
  ['exception', 'Votre colis est en cours de retour.', 'going_back'],
  ['exception', 'Colis en retour au dépôt', 'exception'],
  ['exception', 'Votre colis sera retourné à l’expéditeur.', 'exception'],
  ['in_transit', 'Votre colis a été rendu à l’expéditeur.', 'returned'],
  ['in_transit', '客户拒收，快件原路返回', 'going_back'],
  ['exception', '退件途中，已到达云溪分拨中心', 'going_back'],
  ['delivered', '寄件人已签收', 'returned'],
  ['exception', 'A government agency has released the package.', 'in_transit'],
  ['exception', 'Clearance processing complete', 'in_transit'],
  ['exception', 'Customs clearance is not complete', 'exception'],
  ['exception', 'Die Ware ist verzollt.', 'in_transit'],
  ['delivered', 'Delivered to gateway airport', 'in_transit'],
  ['delivered', 'Delivered to USPS for delivery', 'in_transit'],
  ['delivered', 'Delivered; contact us for delivery proof', 'delivered'],
  ['delivered', 'Delivered to neighbour', 'delivered'],
  ['delivered', 'Die Sendung wurde an Zustellpartner übergeben.', 'in_transit'],
  ['delivered', '快件已送达云溪分公司', 'in_transit'],
  ['delivered', 'Delivered to UPS Access Point™', 'available_for_pickup'],
  ['delivered', 'Delivered in the parcel locker', 'available_for_pickup'],
  ['delivered', 'Delivered by driver to our parcel shop', 'available_for_pickup'],
  ['delivered', 'Delivered at the service point to the recipient', 'delivered'],
  ['delivered', 'Delivered, Parcel Locker', 'delivered'],
  ['delivered', 'Delivered, awaiting customer pickup', 'available_for_pickup'],
  ['delivered', 'Delivered to a post office and ready to be collected', 'available_for_pickup'],
  ['delivered', 'Delivered to Larkhaven Post Office for collection', 'available_for_pickup'],
  ['delivered', 'Delivered to the mail room for pickup', 'delivered'],
  ['delivered', 'Delivered to the store for pickup, collected by the customer', 'delivered'],
  ['delivered', 'Die Sendung wurde in die Packstation eingestellt.', 'available_for_pickup'],
  ['delivered', 'Die Sendung wurde in der Filiale abgeholt und zugestellt.', 'delivered'],
  ['delivered', 'Votre colis est livré dans votre point de retrait.', 'available_for_pickup'],
  ['in_transit', 'Out for delivery today', 'out_for_delivery'],
  ['in_transit', 'The parcel is out for delivery', 'out_for_delivery'],
  ['in_transit', 'It will be out for delivery tomorrow', 'in_transit'],
  ['in_transit', 'Die Sendung wurde in das Zustellfahrzeug geladen.', 'out_for_delivery'],
  ['exception', 'The receiver refused this delivery', 'refused'],
  ['exception', 'Recipient refused delivery', 'refused'],
  ['undeliverable', 'Annahme durch den Empfänger verweigert', 'refused'],
  ['exception', '客户拒签', 'refused'],
  ['exception', 'Customs refused the shipment', 'exception'],
  ['exception', 'The recipient refused it, and it is being returned to the sender', 'going_back'],
  ['exception', 'Die Sendung wird jetzt zurückgesandt.', 'going_back'],
  ['returned', 'Votre colis a été retourné à l’expéditeur.', 'returned'],
  ['returned', 'The parcel is on its way back to the sender', 'going_back'],
  ['in_transit', 'Uncollected items are returned to the sender after 7 days.', 'in_transit'],
  ['in_transit', 'Notice left. It will be sent back to the sender after 15 days.', 'in_transit'],
  ['exception', 'Collect it within a week to avoid a return to the sender.', 'exception'],
  ['exception', 'Return to sender cancelled', 'exception'],
  ['in_transit', 'Sie wird nach 7 Tagen an den Absender zurückgeschickt.', 'in_transit'],
  ['in_transit', '请尽快取件，否则将退回寄件人', 'in_transit'],
  ['in_transit', '请于5日内领取，逾期退回寄件人', 'in_transit'],
  ['in_transit', '已到云溪邮局，超期未取将退回寄件人', 'in_transit'],
  ['in_transit', '逾期未领，退回寄件人', 'going_back'],
  ['in_transit', '逾期未领，已将快件退回寄件人', 'going_back'],
  ['in_transit', '逾期未领将退回寄件人', 'in_transit'],
  ['delivered', 'Partially delivered', 'out_for_delivery'],
  ['delivered', 'Shipment delivered, partial', 'out_for_delivery'],
  ['delivered', 'Delivered, partially open', 'delivered'],
  ['delivered', 'Die Sendung wurde teilweise zugestellt.', 'out_for_delivery'],
  ['delivered', 'Livraison partielle', 'out_for_delivery'],
  ['delivered', '货物部分签收', 'out_for_delivery'],
  ['delivered', 'Entregado al remitente', 'returned'],
  ['delivered', 'Consegnato al mittente', 'returned'],
  ['delivered', 'Objeto entregue ao remetente', 'returned'],
  ['delivered', 'Afgeleverd bij de afzender', 'returned'],
  ['delivered', 'Doręczono nadawcy', 'returned'],
  ['delivered', '差出人に返送済み', 'returned'],
  ['delivered', '발송인에게 반송 완료', 'returned'],
  ['in_transit', 'En devolución al remitente', 'going_back'],
  ['in_transit', 'In restituzione al mittente', 'going_back'],
  ['in_transit', 'Objeto em devolução ao remetente', 'going_back'],
  ['in_transit', 'Retour naar afzender', 'going_back'],
  ['in_transit', 'Zwrot do nadawcy', 'going_back'],
  ['in_transit', '差出人に返送', 'going_back'],
  ['in_transit', '발송인에게 반송 중', 'going_back'],
  ['exception', 'Devuelto al remitente', 'going_back'],
  ['delivered', 'Devuelto al remitente', 'returned'],
  ['exception', 'Restituito al mittente', 'going_back'],
  ['delivered', 'Restituito al mittente', 'returned'],
  ['exception', 'Devolvido ao remetente', 'going_back'],
  ['delivered', 'Devolvido ao remetente', 'returned'],
  ['exception', 'Zwrócono do nadawcy', 'going_back'],
  ['delivered', 'Zwrócono do nadawcy', 'returned'],
  ['delivered', 'Votre colis a été retourné à l’expéditeur.', 'returned'],
  ['delivered', 'Die Sendung wurde an den Absender zurückgegeben.', 'returned'],
  ['delivered', 'Zurückgegeben, der Absender wird benachrichtigt', 'returned'],
  ['returned', 'Zurückgesandt an Absender', 'returned'],
  ['in_transit', 'Die Sendung wurde an den Absender zurückgesandt.', 'going_back'],
  ['returned', 'Die Sendung wird an den Absender zurückgesandt.', 'going_back'],
  ['returned', 'Wordt teruggestuurd naar de afzender', 'going_back'],
  ['returned', 'Spedizione in reso al mittente', 'going_back'],
  ['returned', '差出人に返送中', 'going_back'],
  ['returned', '반송 중', 'going_back'],
  ['exception', 'Rehusado por el destinatario', 'refused'],
  ['exception', 'Rifiutato dal destinatario', 'refused'],
  ['exception', 'Recusado pelo destinatário', 'refused'],
  ['exception', 'Geweigerd door de ontvanger', 'refused'],
  ['exception', 'Adresat odmówił przyjęcia', 'refused'],
  ['exception', '受取拒否', 'refused'],
  ['exception', '수취거절', 'refused'],
  ['in_transit', 'Si no se recoge, será devuelto al remitente', 'in_transit'],
  ['in_transit', 'Przesyłka zostanie zwrócona do nadawcy', 'in_transit'],
  ['in_transit', '保管期限を過ぎますと返送されます', 'in_transit'],
] as const)('with a code for %s, "%s" is %s', (status, text, means) => {
  const meaning = heard({ status }, text);
  expect(meaning.course ?? meaning.status).toBe(means);
});
