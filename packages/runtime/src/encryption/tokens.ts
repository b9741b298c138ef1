import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { Keyring } from './keyring.ts';

const PAGE_BYTES = 32;
const OPAQUE_BYTES = 64;

/**
 * The keys of what leaves the installation: links to buyers' pages and cursors. They must outlive the operator's key.
 */
type TokenKeys = { page(): Buffer; opaque(): Buffer };

/** Derives the keys of tokens from the operator's key. */
export function tokenKeysFrom(keyBase64: string): TokenKeys {
  const derive = (use: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(keyBase64, 'base64'), '', use, bytes));
  const [page, opaque] = [derive('page tokens v1', PAGE_BYTES), derive('opaque tokens v1', OPAQUE_BYTES)];
  return { page: () => page, opaque: () => opaque };
}

/** The keys of tokens as text, for storage under the operator's key. */
export function packTokenKeys({ page, opaque }: TokenKeys): string {
  return Buffer.concat([page(), opaque()]).toString('base64url');
}

/**
 * The installation's keys of tokens: from the first operator's key that it had, until a rotation stores them;
 * afterwards as stored.
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

/** The page of a tracking; `generation` counts how often its link was renewed. */
type PageOf = { trackingId: string; generation: number };

/** The generation that no link has: the token is that of a shop. */
const SHOP = 0xffff_ffff;

/** Tokens of the links to buyers' pages, and to the pages of shops where buyers find theirs. */
export type PageTokens = {
  /** A page always gives the same token: 22 characters that are safe in a URL. */
  seal(page: PageOf): string;
  /** @returns null for a text that is not in the form of a token; any other may be of a page that does not exist. */
  open(token: string): PageOf | null;
  sealShop(accountId: string): string;
  /** @returns the account; null as with `open`, and for the token of a tracking's page. */
  openShop(token: string): string | null;
};

const BLOCK_BYTES = 16;
const TRACKING_ID_BYTES = 12;
/** The last character has two bits: its spelling is unique. */
const TOKEN = /^[A-Za-z0-9_-]{21}[AQgw]$/;

/**
 * A token is one block of AES-256: the tracking's id and the generation, encrypted under a key derived from the
 * operator's key. A block cipher is a permutation of all 128-bit values, so tokens are as hard to guess as random ones
 * of 128 bits and show nothing of the id, and none has to be stored.
 */
export function createPageTokens(keys: Pick<TokenKeys, 'page'>): PageTokens {
  const seal = ({ trackingId, generation }: PageOf) => {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.write(trackingId, 'hex');
    block.writeUInt32BE(generation, TRACKING_ID_BYTES);
    const cipher = createCipheriv('aes-256-ecb', keys.page(), null).setAutoPadding(false);
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
  };
  const read = (token: string): PageOf | null => {
    if (!TOKEN.test(token)) return null;
    const decipher = createDecipheriv('aes-256-ecb', keys.page(), null).setAutoPadding(false);
    const block = Buffer.concat([decipher.update(Buffer.from(token, 'base64url')), decipher.final()]);
    return {
      trackingId: block.toString('hex', 0, TRACKING_ID_BYTES),
      generation: block.readUInt32BE(TRACKING_ID_BYTES),
    };
  };
  return {
    seal,
    open(token) {
      const page = read(token);
      return page?.generation === SHOP ? null : page;
    },
    sealShop: (accountId) => seal({ trackingId: accountId, generation: SHOP }),
    openShop(token) {
      const page = read(token);
      return page?.generation === SHOP ? page.trackingId : null;
    },
  };
}

const MAC_BYTES = 12;
/** Counter mode takes 16 bytes; the rest counts its blocks. */
const COUNTER = Buffer.alloc(4);
const NUMBER_BYTES = 8;

/** The kind of thing that a token stands for, and the account that it was given to. */
type TokenOf = { kind: string; accountId: string };

/**
 * Shows numbers that would reveal the installation's volume, such as those of a sequence, as tokens without meaning.
 */
export type OpaqueTokens = {
  /** Equal numbers always give the same token. */
  seal(of: TokenOf, numbers: readonly bigint[]): string;
  /** @returns null for a text that `seal` has not returned for the same kind and account, under the same key. */
  open(of: TokenOf, token: string): bigint[] | null;
};

/**
 * Encrypts numbers under keys derived from the operator's key: AES-256 in counter mode, whose initial value is a MAC of
 * kind, account and numbers (the construction of SIV). So equal input gives equal tokens, and others are not accepted.
 */
export function createOpaqueTokens(keys: Pick<TokenKeys, 'opaque'>): OpaqueTokens {
  const macKey = () => keys.opaque().subarray(0, 32);
  const key = () => keys.opaque().subarray(32);
  const seal = ({ kind, accountId }: TokenOf, numbers: readonly bigint[]) => {
    const plain = Buffer.alloc(numbers.length * NUMBER_BYTES);
    for (const [n, number] of numbers.entries()) plain.writeBigInt64BE(number, n * NUMBER_BYTES);
    const tag = createHmac('sha256', macKey()).update(`${kind}\n${accountId}\n`).update(plain).digest();
    const iv = tag.subarray(0, MAC_BYTES);
    const cipher = createCipheriv('aes-256-ctr', key(), Buffer.concat([iv, COUNTER]));
    return Buffer.concat([iv, cipher.update(plain)]).toString('base64url');
  };
  return {
    seal,
    open(of, token) {
      const bytes = Buffer.from(token, 'base64url');
      const length = bytes.length - MAC_BYTES;
      if (length < NUMBER_BYTES || length % NUMBER_BYTES !== 0) return null;
      const decipher = createDecipheriv('aes-256-ctr', key(), Buffer.concat([bytes.subarray(0, MAC_BYTES), COUNTER]));
      const plain = decipher.update(bytes.subarray(MAC_BYTES));
      const numbers = Array.from({ length: length / NUMBER_BYTES }, (_, n) => plain.readBigInt64BE(n * NUMBER_BYTES));
      return seal(of, numbers) === token ? numbers : null;
    },
  };
}
