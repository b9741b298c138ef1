import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { answerByNumber, answerFrom } from '../../answer/answers.ts';
import { failed, failureOfStatus, xmlBody } from '../../answer/body.ts';
import type { HttpOutcome } from '../../http/http.ts';
import { childrenOf, elementAt, textAt, type XmlElement } from '../../http/xml.ts';
import { codeTable, type ReadScan, wordsOf } from '../../texts/meaning.ts';
import { refined } from '../../texts/reader.ts';
import { destinationAt } from '../../time/place.ts';
import { estimateOf, resolveTimeAt } from '../../time/time.ts';
import type { Requested } from '../manifest.ts';

const TITLE = 'bpost';
const BELGIUM = { country: 'BE' };

/** Reads the answer to one `trackingInfo` call: an item with its states, or an exception in XML. */
export function parseTrackingInfo(outcome: HttpOutcome, requested: Requested): CarrierAnswer {
  const read = xmlBody(outcome, TITLE, [200, 400, 404, 500]);
  if (read.kind === 'failed') return read;
  const { body: root, status } = read;
  if (root.name !== 'itemTracking') return refusal(root, status);
  return answerByNumber(requested, [root], {
    provider: TITLE,
    numbersOf: (item) => [textAt(item, 'itemCode')],
    answerOf,
  });
}

/** `businessException` with the code of a status, or `systemException`. */
function refusal(root: XmlElement, httpStatus: number): CarrierAnswer {
  const [code, message] = [textAt(root, 'code'), textAt(root, 'message')];
  const status = Number(code || (httpStatus === 200 ? 0 : httpStatus));
  if (status === 404 || /not found|unknown item|does not exist/i.test(message)) return { kind: 'not_found' };
  const reason = `${TITLE} answered ${root.name} ${code}: ${message}`;
  if (root.name === 'systemException') return failed('transient', reason);
  if (root.name !== 'businessException') return failed('unreadable', reason);
  return failed(status >= 401 ? failureOfStatus(status) : 'invalid_number', reason);
}

function answerOf(item: XmlElement): CarrierAnswer {
  const addressee = elementAt(item, 'addressee', 'address');
  const country = addressee ? textAt(addressee, 'countryCode') : '';
  const [from, to] = ['Start', 'End'].map((end) =>
    textAt(item, 'deliveryTimeWindow', `plannedDeliveryDateWindow${end}`),
  );
  return answerFrom(childrenOf(item, 'stateInfo').map(scanOf), TITLE, {
    estimatedDelivery: estimateOf(from ?? '', to ?? '', { country: country || 'BE' }),
    ...destinationAt({ locality: addressee ? textAt(addressee, 'city') : '', country }),
  });
}

/** A state has a name and, behind a hyphen, what is special: `BoundToRound - out_for_distribution`. */
function scanOf(state: XmlElement): ReadScan | null {
  const timeRaw = textAt(state, 'time');
  const location = textAt(state, 'location');
  const resolved = resolveTimeAt(timeRaw, { locality: location, ...BELGIUM });
  const [name = '', ...details] = textAt(state, 'stateDescription').split(' - ');
  const description = [name, ...details].map((part) => (part.includes(' ') ? part : wordsOf(part))).join(': ');
  const known = meaningOf(textAt(state, 'stateCode')) ?? meaningOf(name);
  const meaning = refined(known, known?.status === 'in_transit', description);
  return resolved && { scan: { ...resolved, timeRaw, location, description }, meaning };
}

/** The codes and the names of states that are documented; of the others, the text decides. */
export const meaningOf = codeTable({
  T00: 'in_transit',
  Sorted: 'in_transit',
  L00: 'out_for_delivery',
  BoundToRound: 'out_for_delivery',
  U01: 'delivered',
  DistributedNormally: 'delivered',
  DistributedAbroad: 'delivered',
  ReturnedToSender: 'returned',
  DeliveredToSender: 'returned',
});
