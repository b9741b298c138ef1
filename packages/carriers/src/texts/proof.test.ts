import { HANDED_TO } from '@pts/core/tracking/scan';
import { HANDED_TO_RULES, proofIn } from './proof.ts';

test.each(HANDED_TO_RULES.map(([to, , example]) => [example, to] as const))('"%s" is %s', (example, to) => {
  expect(proofIn(example)?.to).toBe(to);
});

test('every place and person but `other` has a rule', () => {
  expect(new Set(HANDED_TO_RULES.map(([to]) => to))).toEqual(new Set(HANDED_TO.filter((to) => to !== 'other')));
});

// biome-ignore format: one text per line is readable as a table
test.each([
  ['Delivered to a neighbour, signed by: HOLT', 'neighbor', 'HOLT'],
  ['Beim Nachbarn abgegeben', 'neighbor', undefined],
  ['Remis à un voisin', 'neighbor', undefined],
  ['邻居代收', 'neighbor', undefined],
  ['Signed for by: M. FENN', undefined, 'M. FENN'],
  ['Received by Ada Holt', undefined, 'Ada Holt'],
  ['Signed for by the recipient', 'recipient', undefined],
  ['已签收，签收人：本人', 'recipient', undefined],
  ['已签收，签收人：陆**', undefined, '陆**'],
  ['快件已由前台签收', 'reception', undefined],
  ['Delivered, Parcel Locker', 'locker', undefined],
  ['Livré dans votre boîte aux lettres', 'mailbox', undefined],
  ['Entregado al conserje', 'reception', undefined],
  ['Bezorgd in de brievenbus', 'mailbox', undefined],
  ['문 앞 배송 완료', 'door', undefined],
  ['宅配ボックスに配達完了', 'locker', undefined],
  ['Delivered', undefined, undefined],
  ['签收人：梧桐街驿站', 'pickup_point', undefined],
])('"%s": to %s, signed by %s', (text, to, signedBy) => {
  expect(proofIn(text) ?? {}).toEqual({ ...(to && { to }), ...(signedBy && { signedBy }) });
});
