import { columns, counted } from '@pts/core/terminal';
import { createClient } from '../../client.ts';
import { requireAddress } from '../../request.ts';
import type { Account, Me } from '../../types.ts';
import { command } from '../command.ts';
import { EXIT, valid } from '../errors.ts';
import { COMPLETE, CommandError } from '../kit.ts';

export const login = command({
  name: 'login',
  about: 'Stores the address of the service and your API key, after testing them.',
  takes: [],
  options: { url: { value: 'URL', about: 'the address, such as https://api.example.com' } },
  details: [
    'It asks for the key, or reads it from stdin: pts login --url https://api.example.com < key.txt',
    '(in PowerShell: Get-Content key.txt | pts login --url https://api.example.com).',
    'Only your user can read the file that it writes; `pts whoami` shows where it is.',
  ],
  async run({ ask, isInteractive, settings, signal, print, note }, { url: given }) {
    if (!isInteractive && given === undefined && !settings.url)
      throw new CommandError('Name the address with --url: stdin is read for the key.', EXIT.usage);
    const known = settings.url ? ` [${settings.url}]` : '';
    const address = given ?? (isInteractive ? await ask(`Address of the service${known}`) : '');
    const url = address || settings.url || '';
    valid(() => requireAddress(url));
    const apiKey = await ask('API key (it is not shown)', { isSecret: true });
    if (apiKey === '')
      throw new CommandError('No key was given. An API key looks like tk_ and 48 characters.', EXIT.usage);
    const me = await tryOut(url, apiKey, signal);
    settings.store({ url, api_key: apiKey });
    print({ url, account: me, stored_in: settings.path }, () => [
      `Signed in as ${me.name} (${me.plan}) at ${url}.`,
      `Stored in ${settings.path}.`,
    ]);
    if (settings.source.url === 'PTS_URL' || settings.source.apiKey === 'PTS_API_KEY')
      note('PTS_URL and PTS_API_KEY are set and override the stored values.');
  },
});

async function tryOut(baseUrl: string, apiKey: string, signal: AbortSignal): Promise<Me> {
  const client = valid(() => createClient({ baseUrl, apiKey, maxRetries: 1 }));
  return await client.auth.me({ signal });
}

export const logout = command({
  name: 'logout',
  about: 'Removes the stored key and keeps the address.',
  takes: [],
  options: {},
  async run({ settings, print }) {
    settings.store({ api_key: undefined });
    print({ removed: true, stored_in: settings.path }, () => [`The key was removed from ${settings.path}.`]);
  },
});

export const whoami = command({
  name: 'whoami',
  about: 'Shows the address, the account, what the key may do, and the quota.',
  takes: [],
  options: {},
  async run({ client, settings, signal, note, print }) {
    const { url, source, path } = settings;
    // Before the call: a wrong address or key is what one looks for here.
    note(
      `${url ?? 'no address'}${placeOf(source.url, path)}; ${source.apiKey === 'none' ? 'no key' : 'key'}${placeOf(source.apiKey, path)}`,
    );
    const api = client();
    const [me, account] = [await api.auth.me({ signal }), await api.account.get({ signal })];
    print({ url, source, settings: path, account: me, quota: account }, () => linesOf(me, account));
  },
});

/** Where an address or key was found. */
function placeOf(source: string, path: string): string {
  return source === 'none' ? '' : ` from ${source === 'file' ? path : source}`;
}

function linesOf({ name, plan, key }: Me, quota: Account): string[] {
  return columns([
    ['Account', `${name} (${plan})`],
    ['Key', `${key.hint}: ${key.scopes.join(', ')}${key.expires_at === null ? '' : `, until ${key.expires_at}`}`],
    ['Quota', `${quota.quota_remaining} of ${counted(quota.quota_limit, 'unit')} left until ${quota.resets_at}`],
  ]);
}

/**
 * They ask `pts` itself, so they never disagree with the version that is installed. Files are completed where it knows
 * nothing.
 */
const SCRIPTS = {
  bash: `_pts() {
  local IFS=$'\\n'
  COMPREPLY=($(pts ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _pts pts
`,
  zsh: `#compdef pts
_pts() {
  local -a found
  found=("\${(@f)$(pts ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -- $found; else _files; fi
}
if [[ "$funcstack[1]" = _pts ]]; then _pts; else compdef _pts pts; fi
`,
} as const;

export const completion = command({
  name: 'completion',
  about: 'Prints the completion for a shell.',
  takes: ['shell'],
  choices: Object.keys(SCRIPTS),
  options: {},
  details: [
    'bash: add `eval "$(pts completion bash)"` to ~/.bashrc',
    'zsh: add `source <(pts completion zsh)` to ~/.zshrc, after compinit',
  ],
  run: async ({ raw }, { shell }) => raw(SCRIPTS[shell as keyof typeof SCRIPTS]),
});
