import { MAX_NUMBERS } from '@pts/contract/limits';
import { getTrackings as contract } from '@pts/contract/operations/trackings';
import { ERRORS, ServiceError } from '@pts/core/errors';
import { normaliseNumber, splitNumbers } from '@pts/core/tracking/number';
import { findByNumbers } from '@pts/db/trackings/records';
import { byNumber } from '@pts/db/trackings/register';
import { helpAddress } from '../../http/errors/help.ts';
import { operation } from '../../http/operation.ts';
import { viewTracking } from './view.ts';

const FIELD = 'tracking_numbers';

/** GET /trackings/get */
export const getTrackings = operation(contract, {
  async run(deps, caller, { tracking_numbers }) {
    const given = numbersFrom(tracking_numbers);
    const numbers = [...new Set(given)];
    const found = await findByNumbers(deps.db, caller.account.id, numbers);
    if (found.length === 0) throw noneRegistered(numbers);
    const ofNumber = byNumber(found);
    const success = numbers
      .flatMap((number) => ofNumber.get(number) ?? [])
      .map((record) => viewTracking(record, deps, caller));
    const rejected = numbers
      .filter((number) => !ofNumber.has(number))
      .map((number) => ({ index: given.indexOf(number), ...reject(number, caller.baseUrl) }));
    return { success, ...(rejected.length > 0 ? { rejected } : {}) };
  },
});

/** The numbers of a list, in their normal form if they have one. @throws ServiceError for none, and for more than a call takes */
export function numbersFrom(text: string): string[] {
  const requested = splitNumbers(text);
  if (requested.length === 0)
    throw new ServiceError('number_missing', { fields: [{ field: FIELD, message: 'must not be empty' }] });
  if (requested.length > MAX_NUMBERS) throw new ServiceError('batch_too_large');
  return requested.map((number) => normaliseNumber(number) ?? number);
}

export function noneRegistered(numbers: readonly string[]): ServiceError {
  return new ServiceError('not_registered', { text: textFor(numbers) });
}

function reject(tracking_number: string, baseUrl: string) {
  const rejectedCode = ERRORS.not_registered.number;
  const rejectedMessage = textFor([tracking_number]);
  const docs_url = helpAddress(baseUrl, rejectedCode);
  return { field: FIELD, tracking_number, rejectedCode, rejectedMessage, docs_url };
}

/** Why none of them was found. A malformed one may be several with another separator, or in quotes. */
function textFor(numbers: readonly string[]): string {
  const { text } = ERRORS.not_registered;
  if (numbers.every((number) => normaliseNumber(number) !== null)) return text;
  return `${text} A number has 5 to 50 letters and digits; several are separated by commas, without quotes or brackets.`;
}
