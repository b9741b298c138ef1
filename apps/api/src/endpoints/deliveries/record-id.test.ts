import { randomBytes } from 'node:crypto';
import { createOpaqueTokens } from '@pts/runtime/encryption/opaque-tokens';
import { tokenKeysFrom } from '@pts/runtime/encryption/token-keys';
import { openRecordId, sealRecordId } from './record-id.ts';

const keys = tokenKeysFrom(randomBytes(32).toString('base64'));
const ACCOUNT = 'a'.repeat(24);

test('beside 0.2.0, ids are its numbers; all processes read both forms', () => {
  const beside020 = { tokens: createOpaqueTokens(keys, { asIn020: true }) };
  const alone = { tokens: createOpaqueTokens(keys) };
  const ids = [beside020, alone].map((context) => sealRecordId(context, ACCOUNT, 815n));
  expect(ids).toEqual(['815', expect.stringMatching(/^[A-Za-z0-9_-]{27}$/)]);
  for (const context of [beside020, alone])
    expect(ids.map((id) => openRecordId(context, ACCOUNT, id))).toEqual([815n, 815n]);
});
