import type { ErrorName } from '@pts/core/errors';
import { refusal } from '@pts/core/faults';
import type { OpaqueTokens } from '@pts/runtime/encryption/opaque-tokens';
import { RECORD_ID_FORM } from '../../http/body/forms.ts';

type Tokens = { tokens: OpaqueTokens };

const KIND = 'delivery';

/** The id of a delivery record as its account sees it: the number in the table counts the deliveries of all accounts. */
export function sealRecordId({ tokens }: Tokens, accountId: string, id: bigint): string {
  return tokens.seal({ kind: KIND, accountId }, [id]);
}

/** @throws ServiceError that names the field, for an id that was not given out to this account. */
export function openRecordId(
  { tokens }: Tokens,
  accountId: string,
  text: string,
  { field, error }: { field: string; error: ErrorName } = { field: 'id', error: 'invalid_id' },
): bigint {
  const [id] = tokens.open({ kind: KIND, accountId }, text) ?? [];
  if (id !== undefined) return id;
  throw refusal([{ field, message: RECORD_ID_FORM, error }]);
}
