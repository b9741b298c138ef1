import { randomBytes } from 'node:crypto';
import { createOpaqueTokens } from '@pts/runtime/encryption/opaque-tokens';
import { tokenKeysFrom } from '@pts/runtime/encryption/token-keys';
import { openRecordId, sealRecordId } from './record-id.ts';

const keys = tokenKeysFrom(randomBytes(32).toString('base64'));
const ACCOUNT = 'a'.repeat(24);

const context = { tokens: createOpaqueTokens(keys) };

test('an id is read by its account; a number is refused, whatever it is', () => {
  const id = sealRecordId(context, ACCOUNT, 815n);
  expect(id).toMatch(/^[A-Za-z0-9_-]{27}$/);
  expect(openRecordId(context, ACCOUNT, id)).toBe(815n);
  for (const plain of ['0', '815', '9'.repeat(18)])
    expect(() => openRecordId(context, ACCOUNT, plain)).toThrow(expect.objectContaining({ error: 'invalid_id' }));
});
