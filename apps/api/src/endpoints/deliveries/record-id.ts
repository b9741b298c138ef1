import type { ErrorName } from '@pts/core/errors';
import { refusal } from '@pts/core/faults';
import type { OpaqueTokens } from '@pts/runtime/encryption/opaque-tokens';
import { RECORD_ID_FORM } from '../../http/body/forms.ts';

type Tokens = { tokens: OpaqueTokens };

const KIND = 'delivery';
/** The form of 0.2.0, read only beside it: with forged ones, a client counts the records of all accounts. */
const PLAIN = /^[0-9]{1,18}$/;

/** The id of a delivery record as its account sees it: the number in the table counts the deliveries of all accounts. */
export function sealRecordId({ tokens }: Tokens, accountId: string, id: bigint): string {
  return tokens.asIn020 ? String(id) : tokens.seal({ kind: KIND, accountId }, [id]);
}

/** @throws ServiceError that names the field, for an id that was not given out to this account. */
export function openRecordId(
  { tokens }: Tokens,
  accountId: string,
  text: string,
  { field, error }: { field: string; error: ErrorName } = { field: 'id', error: 'invalid_id' },
): bigint {
  if (tokens.asIn020 && PLAIN.test(text)) return BigInt(text);
  const [id] = tokens.open({ kind: KIND, accountId }, text) ?? [];
  if (id !== undefined) return id;
  throw refusal([{ field, message: RECORD_ID_FORM, error }]);
}
