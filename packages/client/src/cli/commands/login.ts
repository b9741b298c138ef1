import { columns, counted } from '@pts/core/terminal';
import { createClient } from '../../client.ts';
import { MAX_PAGE } from '../../lists.ts';
import { requireAddress } from '../../request.ts';
import type { Account, Me, Notice } from '../../types.ts';
import { command } from '../command.ts';
import { EXIT, valid } from '../errors.ts';
import { COMPLETE, CommandError, wholeNumber } from '../kit.ts';

export const login = command({
  name: 'login',
  about: 'Tests the address of the service and your API key, then stores them.',
  takes: [],
  options: { url: { value: 'URL', about: 'the address of the service, such as https://api.example.com' } },
  details: [
    'You are asked for the key, or it is read from stdin: pts login --url https://api.example.com < key.txt',
    '(in PowerShell: Get-Content key.txt | pts login --url https://api.example.com).',
    'They are stored in a file that only your user can read. `pts whoami` shows where it is.',
  ],
  async run({ ask, isInteractive, settings, signal, print, note }, { url: given }) {
    if (!isInteractive && given === undefined && !settings.url)
      throw new CommandError('Add --url: without a terminal, stdin is only read for the key.', EXIT.usage);
    const known = settings.url ? ` [${settings.url}]` : '';
    const address = given ?? (isInteractive ? await ask(`Address of the service${known}`) : '');
    const url = address || settings.url || '';
    valid(() => requireAddress(url));
    const apiKey = await ask('API key (hidden while you type)', { isSecret: true });
    if (apiKey === '')
      throw new CommandError('The API key is missing. It starts with tk_, followed by 48 characters.', EXIT.usage);
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
  about: 'Removes the stored key. The address is kept.',
  takes: [],
  options: {},
  async run({ settings, print }) {
    settings.store({ api_key: undefined });
    print({ removed: true, stored_in: settings.path }, () => [`Removed the key from ${settings.path}.`]);
  },
});

export const whoami = command({
  name: 'whoami',
  about: 'Shows the address, the account, the scopes of the key, and the quota.',
  takes: [],
  options: {},
  async run({ client, settings, signal, note, print }) {
    const { url, source, path } = settings;
    // Before the call: a wrong address or key is what one looks for here.
    note(
      url === undefined
        ? 'No address is set.'
        : `${url} (from ${placeOf(source.url, path)}), ${source.apiKey === 'none' ? 'no key' : `key from ${placeOf(source.apiKey, path)}`}`,
    );
    const api = client();
    const [me, account] = [await api.auth.me({ signal }), await api.account.get({ signal })];
    print({ url, source, settings: path, account: me, quota: account }, () => linesOf(me, account));
  },
});

/** Where an address or key was found. */
function placeOf(source: string, path: string): string {
  return source === 'file' ? path : source;
}

function linesOf({ name, plan, key }: Me, quota: Account): string[] {
  return columns([
    ['Account', `${name} (${plan})`],
    ['Key', `${key.hint}: ${key.scopes.join(', ')}${key.expires_at === null ? '' : `, until ${key.expires_at}`}`],
    ['Quota', `${quota.quota_remaining} of ${counted(quota.quota_limit, 'unit')} left until ${quota.resets_at}`],
  ]);
}

export const notices = command({
  name: 'notices',
  about: 'Lists notices about your account, such as failing webhooks or used quota, newest first.',
  takes: [],
  options: {
    limit: { value: 'N', about: `notices per page, 1 to ${MAX_PAGE} (default 50)` },
    before: { value: 'ID', about: 'continue after an earlier page; each page prints the id to use' },
  },
  async run({ client, signal, print, note }, { limit, before }) {
    const size = limit === undefined ? undefined : wholeNumber('--limit', limit, 1, MAX_PAGE);
    const page = await client().account.notices({ limit: size, before }, { signal });
    print(page, () => columns(page.notices.map(noticeCells)));
    if (page.count === 0) note(before === undefined ? 'There are no notices.' : 'There are no more notices.');
    if (page.next_before !== null) note(`For the next page, add --before ${page.next_before}`);
  },
});

function noticeCells({ since, kind, text, until }: Notice): string[] {
  return [since, kind, text, until === undefined ? '' : `resolved ${until}`];
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
  about: 'Prints a completion script for your shell.',
  takes: ['shell'],
  choices: Object.keys(SCRIPTS),
  options: {},
  details: [
    'bash: add `eval "$(pts completion bash)"` to ~/.bashrc',
    'zsh: add `source <(pts completion zsh)` to ~/.zshrc, after compinit',
  ],
  run: async ({ raw }, { shell }) => raw(SCRIPTS[shell as keyof typeof SCRIPTS]),
});
