import { command } from '../command.ts';
import { UsageError } from '../problem.ts';
import { checkAddress, tellCheck } from '../receiver/check.ts';
import { readSecrets } from '../receiver/options.ts';

export const receiverCheck = command({
  name: 'receiver-check',
  takes: ['url', 'secret'],
  options: {},
  about: 'Send a receiver a valid, a stale, a tampered and a duplicate push, and say what it should do otherwise.',
  async run(context, { url, secret }) {
    const secrets = readSecrets(secret);
    if (secrets.length === 0)
      throw new UsageError('The secret is empty: give the one that was shown, whsec_ included.');
    return tellCheck(url, await checkAddress(readAddress(url), secrets, context.now));
  },
});

/** As it is given: a slash at its end is part of it. */
function readAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`URL must be an address such as https://example.com/hook, not "${text}".`);
}
