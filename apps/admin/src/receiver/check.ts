import { randomBytes } from 'node:crypto';
import { UsageError } from '@pts/client/cli/kit';
import { newId } from '@pts/core/id';
import { columns } from '@pts/core/terminal';
import { parseAllowList, type UrlPolicy } from '@pts/core/url-policy';
import type { CheckResult } from '@pts/core/webhook/receiver-check';
import { checkReceiver } from '@pts/egress/check-receiver';
import { createSender } from '@pts/egress/send';
import { command, type Report } from '../command.ts';
import { readSecrets } from './receiver.ts';

export const receiverCheck = command({
  name: 'receiver-check',
  takes: ['url'],
  options: {},
  secrets: { secret: 'WEBHOOK_SECRET' },
  about:
    'Send a valid, a stale, a tampered and a duplicate push to a receiver, and show what to fix.' +
    ' Reads the secret from WEBHOOK_SECRET or stdin.',
  async run(context, { url }) {
    const address = readAddress(url);
    const given = context.env.WEBHOOK_SECRET?.trim() || (await context.askSecret('Secret of the webhook (whsec_…)'));
    const secrets = readSecrets(given);
    if (secrets.length === 0)
      throw new UsageError('The secret is missing. Set WEBHOOK_SECRET, or send the secret on stdin.');
    return reportOf(url, await checkAddress(address, secrets, context.now));
  },
});

/** Unchanged: a trailing slash is part of it. */
function readAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`URL must be an address such as https://example.com/hook, not "${text}".`);
}

/** The service's timeout (spec section 6.4). */
const TIMEOUT_MS = 10_000;

type Checked = { passed: boolean; checks: CheckResult[] };

/** Runs the service's receiver check against any URL, including this machine. */
async function checkAddress(url: string, secrets: readonly string[], now: () => Date): Promise<Checked> {
  const startedAt = now();
  const id = () => newId(startedAt, randomBytes(8));
  const { send, close } = createSender({ policy: policyFor(url), timeoutMs: TIMEOUT_MS });
  try {
    const plan = { webhookId: id(), secrets, startedAt, messageIds: [id(), id(), id()] as const };
    const { passed, checks } = await checkReceiver({ send, now }, url, plan);
    return { passed, checks };
  } finally {
    await close();
  }
}

/** Everything is allowed, including this machine: the operator runs the check, so the policy does not apply. */
function policyFor(url: string): UrlPolicy {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const allowed = parseAllowList(['0.0.0.0/0', '::/0', '127.0.0.1', '::1', host]);
  return { allowHttp: true, allowed, allowedPorts: [Number(port)] };
}

function reportOf(url: string, { passed, checks }: Checked): Report {
  const rows = checks.map(({ name, expected, http_status, response_ms, ...check }) => [
    check.passed ? 'ok' : 'WRONG',
    name,
    `${expected} expected`,
    http_status === 0 ? 'no response' : `got ${http_status}`,
    http_status === 0 ? '' : `${response_ms} ms`,
  ]);
  const advice = checks.flatMap(({ name, advice }) => (advice === null ? [] : [`\n${name}: ${advice}`]));
  const verdict = passed ? 'The receiver passed the check.' : 'The receiver failed the check.';
  return { lines: [...columns(rows), ...advice, `\n${verdict}`], json: { url, passed, checks }, failed: !passed };
}
