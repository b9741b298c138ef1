import { callbackAddress } from '@pts/carriers/providers/configured';
import { PROVIDERS } from '@pts/carriers/providers/index';
import { textIn } from '@pts/core/settings/setting';
import { columns } from '@pts/core/text/align-columns';
import { command } from '../../command-line/command.ts';
import { Problem } from '../../command-line/problem.ts';

export const carriersCallbackAddresses = command({
  name: 'carriers callback-addresses',
  takes: [],
  options: {},
  about:
    'Print the address that each provider sends callbacks to, for those where it is set in the account. Needs no database.',
  async run({ env }) {
    const [baseUrl, secret] = ['CALLBACK_BASE_URL', 'CALLBACK_SECRET'].map((name) => textIn(env, name));
    if (!baseUrl || !secret)
      throw new Problem('Set CALLBACK_BASE_URL and CALLBACK_SECRET as for the API and the poller.');
    const addresses = PROVIDERS.filter(({ callbacks }) => callbacks !== undefined).map(({ name }) => ({
      provider: name,
      url: callbackAddress(name, { baseUrl, secret }).url,
    }));
    const rows = addresses.map(({ provider, url }) => [provider, url]);
    return { lines: columns([['PROVIDER', 'ADDRESS'], ...rows]), json: addresses };
  },
});
