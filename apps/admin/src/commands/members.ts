import { CommandError } from '@pts/client/cli/kit';
import { ROLE_NAMES } from '@pts/core/account';
import { toUtcSeconds } from '@pts/core/time';
import { listMembers, type Member } from '@pts/db/accounts/members';
import { getAccount } from '@pts/service/accounts';
import { addMember, removeMember } from '@pts/service/members';
import { type Command, table } from '../command.ts';
import { databaseCommand } from '../installation.ts';

const membersAdd = databaseCommand({
  name: 'members add',
  audited: 'after',
  personal: ['email'],
  takes: ['accountId', 'email'],
  options: { role: { value: 'ROLE', about: 'the role (default: admin)', choices: ROLE_NAMES } },
  about: 'Let a person sign in to the console of an account through the identity provider (OIDC_ISSUER).',
  async run(deps, { accountId, email, role = 'admin' }) {
    const account = await getAccount(deps.db, accountId);
    if (account.testOf !== null)
      throw new CommandError(`${accountId} is a test account. Add members to its account, ${account.testOf}.`);
    const member = await addMember({ ...deps, hasSignIn: true }, accountId, { email, role }, null);
    return {
      lines: [`${member.email} is a member of ${account.name} (${accountId}), with the role ${role}.`],
      json: { account_id: accountId, member: viewMember(member) },
    };
  },
});

const membersList = databaseCommand({
  name: 'members list',
  takes: ['accountId'],
  options: {},
  about: 'List the people who can sign in to an account.',
  async run({ db }, { accountId }) {
    await getAccount(db, accountId);
    const members = (await listMembers(db, accountId)).map(viewMember);
    const heading = ['MEMBER', 'E-MAIL', 'ROLE', 'INVITED BY', 'LAST SIGN-IN'];
    const rows = members.map((each) => [each.id, each.email, each.role, each.invited_by, each.last_sign_in_at ?? '-']);
    return {
      lines: table(heading, rows, 'The account has no members.'),
      json: { account_id: accountId, members },
    };
  },
});

const membersRemove = databaseCommand({
  name: 'members remove',
  audited: 'after',
  takes: ['accountId', 'memberId'],
  options: {},
  about: 'Remove a member from an account. The sessions of the member end within a second.',
  async run(deps, { accountId, memberId }) {
    await removeMember(deps, { accountId, id: memberId }, null);
    return { lines: [`Removed ${memberId}.`], json: { account_id: accountId, member: { id: memberId } } };
  },
});

function viewMember({ id, email, name, role, invitedBy, createdAt, lastSignInAt }: Member) {
  return {
    ...{ id, email, name, role, invited_by: invitedBy },
    created_at: toUtcSeconds(createdAt),
    last_sign_in_at: lastSignInAt && toUtcSeconds(lastSignInAt),
  };
}

/** In the order of the help text. */
export const members: readonly Command[] = [membersAdd, membersList, membersRemove];
