import { CommandError, listOf } from '@pts/client/cli/kit';
import { columns } from '@pts/core/terminal';
import { toUtcSeconds } from '@pts/core/time';
import { listOperatorKeys, type OperatorKey, revokeOperatorKey } from '@pts/db/accounts/operator-keys';
import { createOperatorKey } from '@pts/service/accounts';
import type { Command } from '../command.ts';
import { databaseCommand } from '../installation.ts';
import { SHOWN_ONCE } from './keys.ts';

const operatorKeysCreate = databaseCommand({
  name: 'operator-keys create',
  audited: 'after',
  takes: [],
  options: {
    name: { value: 'NAME', about: 'the owner of the key, for the audit log', isRequired: true },
    expires: { value: 'TIME', about: 'when the key expires, such as 2027-01-31T00:00:00Z (default: never)' },
    networks: { value: 'LIST', about: 'addresses and CIDR ranges that the key can be used from (default: any)' },
  },
  about: 'Create a key that manages all accounts over REST. OPERATOR_API must be on. The key is shown only once.',
  async run(deps, { name, expires, networks }) {
    const wanted = { name, expires_at: expires, networks: listOf(networks) ?? [] };
    const { operatorKey, ...key } = await createOperatorKey(deps, wanted);
    const view = viewKey(key);
    const rows = [
      ['Key', view.id],
      ['Operator key', operatorKey],
      ['Name', view.name],
      ['Networks', view.networks.join(', ') || 'any'],
      ['Expires', view.expires_at ?? 'never'],
    ];
    return {
      lines: [...columns(rows), '', SHOWN_ONCE],
      json: { key: { operator_key: operatorKey, ...view } },
    };
  },
});

const operatorKeysList = databaseCommand({
  name: 'operator-keys list',
  takes: [],
  options: { revoked: { about: 'include revoked keys' } },
  about: 'List the keys of operators, with their owners, networks, expiry and last use.',
  async run({ db }, { revoked: withRevoked }) {
    const keys = (await listOperatorKeys(db, { withRevoked })).map(viewKey);
    return {
      lines: keys.length === 0 ? ['There are no operator keys.'] : columns(tableOf(keys)),
      json: { keys },
    };
  },
});

const operatorKeysRevoke = databaseCommand({
  name: 'operator-keys revoke',
  audited: 'after',
  takes: ['keyId'],
  options: {},
  about: 'Revoke the key of an operator within a second. `operator-keys list` shows the ids.',
  async run({ db, now }, { keyId }) {
    const at = now();
    if (!(await revokeOperatorKey(db, keyId, at)))
      throw new CommandError(`No such active key: ${keyId}. To list the keys, run \`operator-keys list\`.`);
    return {
      lines: [`The key ${keyId} is revoked.`],
      json: { key: { id: keyId, revoked_at: toUtcSeconds(at) } },
    };
  },
});

function viewKey({ id, hint, name, expiresAt, networks, createdAt, lastUsedAt, revokedAt }: OperatorKey) {
  return {
    ...{ id, hint, name, networks },
    expires_at: expiresAt && toUtcSeconds(expiresAt),
    created_at: toUtcSeconds(createdAt),
    last_used_at: lastUsedAt && toUtcSeconds(lastUsedAt),
    revoked_at: revokedAt && toUtcSeconds(revokedAt),
  };
}

function tableOf(keys: readonly ReturnType<typeof viewKey>[]): string[][] {
  return [
    ['KEY', 'HINT', 'NAME', 'NETWORKS', 'EXPIRES', 'CREATED', 'LAST USED', 'REVOKED'],
    ...keys.map((key) => [
      ...[key.id, key.hint, key.name, key.networks.join(',') || 'any', key.expires_at ?? 'never', key.created_at],
      ...[key.last_used_at ?? '-', key.revoked_at ?? '-'],
    ]),
  ];
}

/** In the order of the help text. */
export const operatorKeys: readonly Command[] = [operatorKeysCreate, operatorKeysList, operatorKeysRevoke];
