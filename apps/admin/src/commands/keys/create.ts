import { isScope, SCOPES, type Scope } from '@pts/core/account/scopes';
import { type FieldError, inWords, ServiceError } from '@pts/core/errors';
import { columns } from '@pts/core/text/align-columns';
import { addKey } from '@pts/service/accounts';
import { databaseCommand } from '../../command-line/database-command.ts';
import { UsageError } from '../../command-line/problem.ts';
import { readName } from '../../command-line/read-name.ts';
import { newKeyRows, SHOWN_ONCE, viewNewKey } from '../../records/account-views.ts';
import { getAccount } from '../../records/accounts.ts';

export const keysCreate = databaseCommand({
  name: 'keys create',
  audited: 'after',
  takes: ['accountId'],
  options: {
    name: { value: 'NAME', about: 'name of the key' },
    scopes: { value: 'LIST', about: `what it may do, of ${SCOPES.join(',')} (default: everything)` },
    expires: { value: 'TIME', about: 'when it expires, such as 2027-01-31T00:00:00Z (default: never)' },
    networks: { value: 'LIST', about: 'addresses and CIDR ranges that it may be used from (default: any)' },
  },
  about: 'Add an API key to an account. The key is shown only once.',
  async run(deps, { accountId, name, scopes, expires, networks }) {
    const account = await getAccount(deps.db, accountId);
    const wanted = {
      name: name === undefined ? undefined : readName(name, 100),
      scopes: scopes === undefined ? SCOPES : readScopes(scopes),
      expires_at: expires,
      networks: networks === undefined ? [] : listOf(networks),
    };
    const key = await addKey(deps, account, wanted).catch((error) => {
      throw error instanceof ServiceError ? new UsageError(`Invalid: ${inWords(error.fields.map(asOption))}.`) : error;
    });
    return {
      lines: [`${account.name} (${accountId}) has a new key.`, '', ...columns(newKeyRows(key)), '', SHOWN_ONCE],
      json: { account_id: accountId, key: viewNewKey(key) },
    };
  },
});

/** A fault of the API's field as one of the option that sets it. */
function asOption({ field, message }: FieldError): FieldError {
  const name = field === 'expires_at' ? 'expires' : field.replace(/\.\d+$/, '');
  return { field: `--${name}`, message };
}

function listOf(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}

/** @throws UsageError */
function readScopes(text: string): Scope[] {
  const scopes = listOf(text);
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw new UsageError(`No such scope: "${unknown}". Choose of ${SCOPES.join(', ')}.`);
  return scopes.filter(isScope);
}
