import { hkdfSync } from 'node:crypto';
import type { Keyring } from './keyring.ts';

const PAGE_BYTES = 32;
const OPAQUE_BYTES = 64;

/**
 * The keys of what leaves the installation: links to buyers' pages and cursors. They must outlive the operator's key.
 */
export type TokenKeys = { page(): Buffer; opaque(): Buffer };

/** As they derive from the operator's key. */
export function tokenKeysFrom(keyBase64: string): TokenKeys {
  const derive = (use: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(keyBase64, 'base64'), '', use, bytes));
  const [page, opaque] = [derive('page tokens v1', PAGE_BYTES), derive('opaque tokens v1', OPAQUE_BYTES)];
  return { page: () => page, opaque: () => opaque };
}

/** As text, for storage under the operator's key. */
export function packTokenKeys({ page, opaque }: TokenKeys): string {
  return Buffer.concat([page(), opaque()]).toString('base64url');
}

/**
 * Those of the installation: from the first operator's key that it had, until a rotation stores them; afterwards as stored.
 * @returns keys that can be used once `learn` has been called with the installation's record.
 */
export function installationTokenKeys(
  keyring: Keyring,
): TokenKeys & { learn(installation: { keyCheck: string; tokenKeys: string | null }): void } {
  let known: TokenKeys | undefined;
  const keys = () => {
    if (!known) throw new Error('The keys of tokens are read from the database before the process begins.');
    return known;
  };
  return {
    page: () => keys().page(),
    opaque: () => keys().opaque(),
    learn({ keyCheck, tokenKeys }) {
      known = tokenKeys === null ? keyring.derive(keyCheck, tokenKeysFrom) : unpack(keyring.decrypt(tokenKeys));
    },
  };
}

function unpack(text: string): TokenKeys {
  const bytes = Buffer.from(text, 'base64url');
  const [page, opaque] = [bytes.subarray(0, PAGE_BYTES), bytes.subarray(PAGE_BYTES)];
  return { page: () => page, opaque: () => opaque };
}
