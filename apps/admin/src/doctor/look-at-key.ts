import type { Db } from '@pts/db/connection/client';
import { countByKey } from '@pts/db/encryption';
import { keyFits } from '@pts/db/migrate/installation';
import { createKeyring, type Keyring } from '@pts/runtime/encryption/keyring';
import { advice, type Finding, ok, problem } from './finding.ts';

const PAGE = 'docs/operations.md, "The encryption key"';

/** @param encryptionKeys as this command has them; absent if it has none, or settings are wrong. */
export async function lookAtKey(
  db: Db,
  { encryptionKeys }: { encryptionKeys?: readonly string[] },
): Promise<Finding[]> {
  if (encryptionKeys === undefined)
    return [
      advice(
        'encryption key',
        'ENCRYPTION_KEY was not checked, because it is not set here or the settings have problems',
        'run this with the environment of the services',
      ),
    ];
  const keyring = createKeyring(encryptionKeys);
  switch (await keyFits(db, keyring)) {
    case true:
      return [ok('encryption key', 'it is the one that encrypted the secrets'), await lookAtSecrets(db, keyring)];
    case null:
      return [ok('encryption key', 'the first process that starts will store its check value')];
    default:
      return [
        problem(
          'encryption key',
          'ENCRYPTION_KEY is not the one that encrypted the webhook secrets: processes refuse to start',
          `set the original key; ${PAGE}, says what to do if it is lost`,
        ),
      ];
  }
}

/** Whether the first key decrypts every stored secret, or which other one is needed. */
async function lookAtSecrets(db: Db, keyring: Keyring): Promise<Finding> {
  const { byKey, lost, lostAnswers } = await countByKey(db, keyring);
  const [first, ...older] = keyring.ids;
  if (lost > lostAnswers)
    return problem(
      'stored secrets',
      `no key in ENCRYPTION_KEY decrypts ${lost - lostAnswers} of them: their pushes are not sent`,
      `add the key that encrypted them to the end of the list; if it is lost, their webhooks must be registered again (${PAGE})`,
    );
  if (lostAnswers > 0)
    return problem(
      'stored secrets',
      `no key in ENCRYPTION_KEY decrypts ${lostAnswers} of the answers under an Idempotency-Key: repeated requests fail`,
      'add the key that encrypted them to the end of the list; without it, they are gone after a day',
    );
  const needed = older.filter((id) => (byKey[id] ?? 0) > 0);
  if (needed.length > 0)
    return advice(
      'stored secrets',
      `${needed.map((id) => `${byKey[id]} are encrypted with the older key ${id}`).join(', ')}, not with ${first}`,
      'once every process has the list with the new key first, run `npm run admin -- keys re-encrypt`',
    );
  if (older.length > 0)
    return advice(
      'stored secrets',
      `nothing needs the older key ${older.join(', ')} any more`,
      'remove it from ENCRYPTION_KEY of every process',
    );
  return ok('stored secrets', `all are encrypted with the key ${first}`);
}
