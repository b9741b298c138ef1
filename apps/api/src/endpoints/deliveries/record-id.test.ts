import { randomBytes } from 'node:crypto';
import { createOpaqueTokens } from '@pts/runtime/encryption/opaque-tokens';
import { tokenKeysFrom } from '@pts/runtime/encryption/token-keys';
import { openRecordId, sealRecordId } from './record-id.ts';

const keys = tokenKeysFrom(randomBytes(32).toString('base64'));
const ACCOUNT = 'a'.repeat(24);

const beside020 = { tokens: createOpaqueTokens(keys, { asIn020: true }) };
const alone = { tokens: createOpaqueTokens(keys) };

test('beside 0.2.0, ids are its numbers, and both forms are read', () => {
  const ids = [beside020, alone].map((context) => sealRecordId(context, ACCOUNT, 815n));
  expect(ids).toEqual(['815', expect.stringMatching(/^[A-Za-z0-9_-]{27}$/)]);
  expect(ids.map((id) => openRecordId(beside020, ACCOUNT, id))).toEqual([815n, 815n]);
});

test('otherwise a number is refused, whatever it is', () => {
  expect(openRecordId(alone, ACCOUNT, sealRecordId(alone, ACCOUNT, 815n))).toBe(815n);
  for (const plain of ['0', '815', '9'.repeat(18)])
    expect(() => openRecordId(alone, ACCOUNT, plain)).toThrow(expect.objectContaining({ error: 'invalid_id' }));
});
