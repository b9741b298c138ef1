import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { TokenKeys } from './token-keys.ts';

/** The page of a tracking; `generation` counts how often its link was renewed. */
export type PageOf = { trackingId: string; generation: number };

/** Tokens of the links to buyers' pages. */
export type PageTokens = {
  /** The same page always gives the same token: 22 characters that are safe in a URL. */
  seal(page: PageOf): string;
  /** @returns null for a text that is not in the form of a token; any other may be of a page that does not exist. */
  open(token: string): PageOf | null;
};

const BLOCK_BYTES = 16;
const ID_BYTES = 12;
/** The last character has two bits: its spelling is unique. */
const TOKEN = /^[A-Za-z0-9_-]{21}[AQgw]$/;

/**
 * A token is one block of AES-256: the tracking's id and the generation, encrypted under a key derived from the operator's key. A
 * block cipher is a permutation of all 128-bit values, so tokens are as hard to guess as random ones of 128 bits and show nothing of the
 * id, and none has to be stored.
 */
export function createPageTokens(keys: Pick<TokenKeys, 'page'>): PageTokens {
  const seal = ({ trackingId, generation }: PageOf) => {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.write(trackingId, 'hex');
    block.writeUInt32BE(generation, ID_BYTES);
    const cipher = createCipheriv('aes-256-ecb', keys.page(), null).setAutoPadding(false);
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
  };
  return {
    seal,
    open(token) {
      if (!TOKEN.test(token)) return null;
      const decipher = createDecipheriv('aes-256-ecb', keys.page(), null).setAutoPadding(false);
      const block = Buffer.concat([decipher.update(Buffer.from(token, 'base64url')), decipher.final()]);
      return { trackingId: block.toString('hex', 0, ID_BYTES), generation: block.readUInt32BE(ID_BYTES) };
    },
  };
}
