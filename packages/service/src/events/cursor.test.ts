import { randomBytes } from 'node:crypto';
import { createOpaqueTokens } from '@pts/runtime/encryption/opaque-tokens';
import { tokenKeysFrom } from '@pts/runtime/encryption/token-keys';
import { openCursor, sealCursor } from './cursor.ts';

const keys = tokenKeysFrom(randomBytes(32).toString('base64'));
const ACCOUNT = 'a'.repeat(24);
const PLACE = { xact: 815n, position: 44n };
/** The example in the reference of 0.2.0. */
const IN_020 = 'ODE1LjQ0';

const beside020 = { tokens: createOpaqueTokens(keys, { asIn020: true }) };
const alone = { tokens: createOpaqueTokens(keys) };

test('beside 0.2.0, cursors have its form, and both forms are read', () => {
  const epoch = { epochId: 7, takesPlain: true };
  const sealed = sealCursor(alone, ACCOUNT, epoch, PLACE);
  expect(sealCursor(beside020, ACCOUNT, epoch, PLACE)).toBe(IN_020);
  expect(openCursor(beside020, ACCOUNT, IN_020)).toEqual({ epochId: null, place: PLACE });
  for (const context of [alone, beside020])
    expect(openCursor(context, ACCOUNT, sealed)).toEqual({ epochId: 7, place: PLACE });
});

test('otherwise each cursor of 0.2.0 is refused, and the error says what to do', () => {
  const forged = ['0.0', '1.1', `${2n ** 63n - 1n}.0`].map((text) => Buffer.from(text).toString('base64url'));
  for (const plain of [IN_020, ...forged])
    expect(() => openCursor(alone, ACCOUNT, plain)).toThrow(
      expect.objectContaining({
        error: 'invalid_field',
        fields: [{ field: 'after', message: expect.stringMatching(/release 0\.2\.0 .*: start again without it/) }],
      }),
    );
});

test('after a failover, cursors name their epoch also beside 0.2.0: otherwise they would be read as older ones', () => {
  const cursor = sealCursor(beside020, ACCOUNT, { epochId: 8, takesPlain: false }, PLACE);
  expect(openCursor(beside020, ACCOUNT, cursor)).toEqual({ epochId: 8, place: PLACE });
});
