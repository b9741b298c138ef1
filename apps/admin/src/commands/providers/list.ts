import { columns } from '@pts/core/text/align-columns';
import { toUtcSeconds } from '@pts/core/time';
import { PAUSED_BY_OPERATOR } from '@pts/core/tracking/outage';
import { listPauses, type ProviderPause } from '@pts/db/providers';
import { databaseCommand } from '../../command-line/database-command.ts';
import { providersIn } from '../../providers/environment.ts';

const HEADING = ['PROVIDER', 'STATE', 'BY', 'REASON'];

export const providersList = databaseCommand({
  name: 'providers list',
  takes: [],
  options: {},
  about: 'List the providers that are on in this environment, and every pause: until when, by whom and why.',
  async run({ db, now }, _input, { env }) {
    const pauses = new Map((await listPauses(db)).map((pause) => [pause.provider, pause]));
    const on = providersIn(env).map(({ name }) => name);
    const names = [...on, ...[...pauses.keys()].filter((name) => !on.includes(name))];
    const providers = names.map((name) => viewProvider(name, on.includes(baseOf(name)), pauses.get(name), now()));
    const rows = providers.map(({ provider, state, paused_until, by, reason }) => [
      provider,
      paused_until === null ? state : `${state} until ${paused_until}`,
      by ?? '-',
      reason ?? '-',
    ]);
    return {
      lines: rows.length === 0 ? ['No provider is on here, and none is paused.'] : columns([HEADING, ...rows]),
      json: { providers },
    };
  },
});

/** `kuaidi100:subscribe` is a part of `kuaidi100`. */
function baseOf(name: string): string {
  return name.split(':')[0] ?? name;
}

function viewProvider(provider: string, isOn: boolean, pause: ProviderPause | undefined, now: Date) {
  const isPaused = pause?.pausedUntil != null && pause.pausedUntil > now;
  return {
    provider,
    on: isOn,
    state: isPaused ? 'paused' : pause ? 'failing' : isOn ? 'ok' : 'off',
    paused_until: isPaused && pause.pausedUntil ? toUtcSeconds(pause.pausedUntil) : null,
    by: pause ? (pause.failure === PAUSED_BY_OPERATOR ? 'operator' : 'service') : null,
    failure: pause && pause.failure !== PAUSED_BY_OPERATOR ? pause.failure : null,
    failures: pause?.failures ?? 0,
    reason: pause?.reason ?? null,
  };
}
