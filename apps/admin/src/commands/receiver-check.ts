import { command } from '../command-line/command.ts';
import { UsageError } from '../command-line/problem.ts';
import { checkAddress, reportOf } from '../receiver/check.ts';
import { readSecrets } from '../receiver/options.ts';

export const receiverCheck = command({
  name: 'receiver-check',
  takes: ['url'],
  options: {},
  secrets: { secret: 'WEBHOOK_SECRET' },
  about:
    'Send a valid, a stale, a tampered and a duplicate push to a receiver, and say what to fix.' +
    ' Reads the secret from WEBHOOK_SECRET or stdin.',
  async run(context, { url }) {
    const address = readAddress(url);
    const given =
      context.env.WEBHOOK_SECRET?.trim() || (await context.askSecret('The secret of the webhook (whsec_…)'));
    const secrets = readSecrets(given);
    if (secrets.length === 0)
      throw new UsageError('The secret is missing. Set WEBHOOK_SECRET, or enter the secret on stdin.');
    return reportOf(url, await checkAddress(address, secrets, context.now));
  },
});

/** Unchanged: a trailing slash is part of it. */
function readAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`URL must be an address such as https://example.com/hook, not "${text}".`);
}
