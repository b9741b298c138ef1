import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { TokenKeys } from './token-keys.ts';

const TAG_BYTES = 12;
/** Counter mode takes 16 bytes; the rest counts its blocks. */
const COUNTER = Buffer.alloc(4);
const NUMBER_BYTES = 8;

/** What a token stands for, and whom it was given to. */
export type TokenOf = { kind: string; accountId: string };

/** Shows numbers that would reveal the installation's volume, such as those of a sequence, as tokens without meaning. */
export type OpaqueTokens = {
  /** The same numbers always give the same token. */
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
    const iv = tag.subarray(0, TAG_BYTES);
    const cipher = createCipheriv('aes-256-ctr', key(), Buffer.concat([iv, COUNTER]));
    return Buffer.concat([iv, cipher.update(plain)]).toString('base64url');
  };
  return {
    seal,
    open(of, token) {
      const bytes = Buffer.from(token, 'base64url');
      const length = bytes.length - TAG_BYTES;
      if (length < NUMBER_BYTES || length % NUMBER_BYTES !== 0) return null;
      const decipher = createDecipheriv('aes-256-ctr', key(), Buffer.concat([bytes.subarray(0, TAG_BYTES), COUNTER]));
      const plain = decipher.update(bytes.subarray(TAG_BYTES));
      const numbers = Array.from({ length: length / NUMBER_BYTES }, (_, n) => plain.readBigInt64BE(n * NUMBER_BYTES));
      return seal(of, numbers) === token ? numbers : null;
    },
  };
}
