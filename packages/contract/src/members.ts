import { MAX_MEMBERS, ROLE_NAMES, ROLES, SESSION_HOURS } from '@pts/core/account';
import { message } from '@pts/core/languages/message';
import { freeText } from '@pts/core/tracking/fields';
import { entryCount, id, instant, instantOrNull, nextBefore, pageLimit } from './common.ts';
import { defineOperation, NO_INPUT } from './operation.ts';
import { object } from './schema.ts';

const memberId = { ...id, description: 'The id of the member.' } as const;
const role = {
  title: 'Role',
  type: 'string',
  enum: ROLE_NAMES,
  description: `The role of the member. ${ROLE_NAMES.map((name) => `\`${name}\`: the scopes ${ROLES[name].join(', ')}`).join('; ')}.`,
  examples: ['editor'],
} as const;
const email = {
  ...freeText(254),
  description: "The member's e-mail address, as verified by the identity provider.",
  examples: ['alice@example.com'],
} as const;

const memberView = object(
  {
    id: memberId,
    email,
    name: {
      type: ['string', 'null'],
      description: 'The name from the identity provider; null before the first sign-in.',
    },
    role,
    invited_by: {
      type: 'string',
      description: 'Who added the member: the name of a key, the e-mail address of a member, or `operator`.',
      examples: ['operator'],
    },
    created_at: { ...instant, description: 'When the member was added.' },
    last_sign_in_at: { ...instantOrNull, description: 'When the member last signed in; null if never.' },
    is_current: { type: 'boolean', description: 'Whether this request was sent in a session of this member.' },
  },
  { title: 'Member' },
);

const EXAMPLE = {
  id: '69a47c11c2d3e4f506172843',
  email: 'alice@example.com',
  name: 'Alice Example',
  role: 'editor' as const,
  invited_by: 'operator',
  created_at: '2026-03-01T17:51:29Z',
  last_sign_in_at: '2026-03-04T09:12:00Z',
  is_current: false,
};

const LAST_ADMIN = {
  when: 'This member is the only administrator. Give another member the role `admin` first.',
  message: message('last_admin_member'),
} as const;

export const listMembers = defineOperation({
  method: 'get',
  path: '/account/members',
  limit: 'keys',
  repeat: 'safe',
  scope: 'admin',
  input: null,
  request: NO_INPUT,
  response: object(
    {
      count: entryCount,
      members: {
        type: 'array',
        items: memberView,
        description: `The members, ordered by e-mail address, at most ${MAX_MEMBERS}.`,
      },
    },
    { title: 'MemberList' },
  ),
  doc: {
    id: 'listMembers',
    tag: 'Keys',
    summary: 'List members',
    summaryZh: '列出成员',
    description: 'The people who can sign in to the console of the account.',
    example: { response: { count: 1, members: [EXAMPLE] } },
  },
});

export const addMember = defineOperation({
  method: 'post',
  path: '/account/members',
  limit: 'keys',
  repeat: 'keyed',
  scope: 'admin',
  input: 'body',
  request: object({ email, role }, { title: 'MemberInput' }),
  strict: true,
  response: memberView,
  doc: {
    id: 'addMember',
    tag: 'Keys',
    summary: 'Add a member',
    summaryZh: '添加成员',
    description: `The person can sign in to the console of the account through the identity provider of this installation, for ${SESSION_HOURS} hours at a time. No invitation is sent. You cannot grant a role with more scopes than you have. If the operator has not set up an identity provider, the response is 404.`,
    errors: ['not_found', 'conflict'],
    conflict: {
      when: 'A member already has this address, or the `Idempotency-Key` was used for another request.',
      message: message('member_known', { email: 'alice@example.com' }),
    },
    example: {
      request: { email: EXAMPLE.email, role: EXAMPLE.role },
      response: { ...EXAMPLE, last_sign_in_at: null, name: null },
    },
  },
});

export const updateMember = defineOperation({
  method: 'patch',
  path: '/account/members/:id',
  limit: 'keys',
  repeat: 'safe',
  scope: 'admin',
  input: 'body',
  request: object({ id: memberId, role }, { title: 'MemberChange' }),
  strict: true,
  response: memberView,
  doc: {
    id: 'updateMember',
    tag: 'Keys',
    summary: "Change a member's role",
    summaryZh: '修改成员角色',
    description: "A new role ends the member's sessions within a second and applies from the next sign-in.",
    errors: ['not_found', 'conflict'],
    conflict: LAST_ADMIN,
    example: { request: { role: 'admin' }, response: { ...EXAMPLE, role: 'admin' } },
  },
});

export const removeMember = defineOperation({
  method: 'delete',
  path: '/account/members/:id',
  limit: 'keys',
  repeat: 'once',
  scope: 'admin',
  input: 'params',
  request: object({ id: memberId }),
  response: object({ id: memberId }, { title: 'RemovedMember' }),
  doc: {
    id: 'removeMember',
    tag: 'Keys',
    summary: 'Remove a member',
    summaryZh: '移除成员',
    description: "The member's sessions end within a second. Keys that the member created stay valid.",
    errors: ['not_found', 'conflict'],
    conflict: LAST_ADMIN,
    example: { response: { id: EXAMPLE.id } },
  },
});

const entryId = {
  type: 'string',
  maxLength: 40,
  description: 'The id of the entry.',
  examples: ['Yk3v9mPq2sT7wXzB1nRcUeLd'],
} as const;

const auditEntry = object(
  {
    id: entryId,
    at: { ...instant, description: 'When the change was made.' },
    actor: object(
      {
        kind: {
          title: 'AuditActorKind',
          type: 'string',
          enum: ['key', 'member', 'operator'],
          description: 'An API key, a member who was signed in, or the operator of the service.',
        },
        id: { type: ['string', 'null'], description: 'The id of the key or the member; null for the operator.' },
        name: {
          type: ['string', 'null'],
          description:
            "The name at that time: the name of the key or its first and last characters, or the member's e-mail address.",
        },
      },
      { title: 'AuditActor', description: 'Who made the change.' },
    ),
    action: {
      type: 'string',
      description:
        'The operation, such as `DELETE /keys/:id`, with `POST /session` for a sign-in, or the command of the operator.',
      examples: ['DELETE /keys/:id'],
    },
    object: {
      title: 'AuditObject',
      type: ['object', 'null'],
      required: ['id', 'name'],
      description: 'What was changed; null for the account itself.',
      properties: {
        id: { type: 'string', description: 'Its id.' },
        name: {
          type: ['string', 'null'],
          description:
            "The name at that time: the name of a key or file, the host of a webhook, or a member's e-mail address.",
        },
      },
    },
    details: {
      title: 'AuditDetails',
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'Further details, such as `ip`, `fields` (the names of the fields that were sent), `role` and `matched`.',
      examples: [{ ip: '203.0.113.7' }],
    },
  },
  { title: 'AuditEntry', description: 'A change to the account, and who made it.' },
);

export const auditResponse = object(
  {
    count: entryCount,
    entries: { type: 'array', items: auditEntry, description: 'The entries, newest first.' },
    next_before: nextBefore,
  },
  { title: 'AuditList' },
);

export const listAudit = defineOperation({
  method: 'get',
  path: '/account/audit',
  limit: 'account',
  repeat: 'safe',
  scope: 'admin',
  input: 'query',
  request: {
    type: 'object',
    properties: { limit: pageLimit, before: { ...entryId, description: 'The `next_before` of the previous page.' } },
  },
  response: auditResponse,
  doc: {
    id: 'listAudit',
    tag: 'Keys',
    summary: 'List who changed what',
    summaryZh: '列出操作记录',
    description:
      'Changes to keys, members, webhooks and settings, as well as imports, bulk actions, sign-ins and actions of the operator, without secrets. Entries are kept as long as the account.',
    example: {
      response: {
        count: 1,
        entries: [
          {
            id: entryId.examples[0],
            at: '2026-03-04T09:15:00Z',
            actor: { kind: 'member', id: EXAMPLE.id, name: EXAMPLE.email },
            action: 'DELETE /keys/:id',
            object: { id: '69a47c11c2d3e4f506172840', name: 'ERP' },
            details: { ip: '203.0.113.7' },
          },
        ],
        next_before: null,
      },
    },
  },
});
