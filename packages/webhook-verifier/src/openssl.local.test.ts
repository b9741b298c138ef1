import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

type Vector = {
  name: string;
  secret: string | string[];
  headers: Record<string, string>;
  rawBody: string;
  expected: { ok: boolean; reason?: string };
};

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const { vectors } = JSON.parse(read('../vectors.json')) as { vectors: Vector[] };
const SCRIPT = fileURLToPath(new URL('../sign.sh', import.meta.url));
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** What openssl alone makes of a push: whether one of its v1 is the signature by one of the secrets. */
function isSigned({ secret, headers, rawBody }: Vector): boolean {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const { 'x-webhook-signature': signature = '', 'x-webhook-timestamp': timestamp = '' } = given;
  return [secret].flat().some((key) => {
    const { stdout, stderr } = spawnSync('sh', [SCRIPT, key, timestamp], { input: rawBody, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^[0-9a-f]{64}\n$/), '']);
    return signature.split(',').includes(`v1=${stdout.trim()}`);
  });
}

if (hasOpenssl)
  describe('sign.sh, which is openssl alone', () => {
    test.each(vectors.filter(({ expected }) => expected.ok))('signs as in: $name', (vector) => {
      expect(isSigned(vector)).toBe(true);
    });

    test.each(vectors.filter(({ expected }) => expected.reason === 'signature_mismatch'))(
      'signs otherwise than in: $name',
      (vector) => {
        expect(isSigned(vector)).toBe(false);
      },
    );
  });
else test('NOT CHECKED with openssl, which is not installed', () => expect(vectors).not.toEqual([]));
