import { randomBytes } from 'node:crypto';
import { message } from '@pts/core/languages/message';
import { createOpaqueTokens, tokenKeysFrom } from '@pts/runtime/encryption/tokens';
import { openCursor, sealCursor } from './events.ts';

const context = { tokens: createOpaqueTokens(tokenKeysFrom(randomBytes(32).toString('base64'))) };
const ACCOUNT = 'a'.repeat(24);
const PLACE = { xact: 815n, position: 44n };

test('a cursor is read by its account; plain numbers are refused, and the error says what to do', () => {
  expect(openCursor(context, ACCOUNT, sealCursor(context, ACCOUNT, { epochId: 7 }, PLACE))).toEqual({
    epochId: 7,
    place: PLACE,
  });
  for (const plain of ['815.44', '0.0', `${2n ** 63n - 1n}.0`])
    expect(() => openCursor(context, ACCOUNT, Buffer.from(plain).toString('base64url'))).toThrow(
      expect.objectContaining({
        error: 'invalid_field',
        fields: [{ field: 'after', message: message('field.feed_cursor') }],
      }),
    );
});
