import { columns } from '@pts/core/text/align-columns';
import { toUtcSeconds } from '@pts/core/time';
import { callsOfDay } from '@pts/db/providers';
import { databaseCommand } from '../../command-line/database-command.ts';
import { providersIn } from '../../providers/environment.ts';

const HEADING = ['PROVIDER', 'CALLS TODAY', 'BUDGET', 'LEFT', 'CALLS PER SECOND'];
const DAY_MS = 86_400_000;

export const providersBudget = databaseCommand({
  name: 'providers budget',
  takes: [],
  options: {},
  about: "Show how many calls of each provider's day (UTC) are used and left. Calls without a budget are not counted.",
  async run({ db, now }, _input, { env }) {
    const at = now();
    const used = await callsOfDay(db, at);
    const resetsAt = toUtcSeconds(new Date((Math.floor(at.getTime() / DAY_MS) + 1) * DAY_MS));
    const providers = providersIn(env).map(({ name, limits: { dailyBudget = null, callsPerSecond } }) => {
      const calls = dailyBudget === null ? null : (used.get(name) ?? 0);
      const left = dailyBudget === null ? null : Math.max(0, dailyBudget - (calls ?? 0));
      return { provider: name, calls_today: calls, daily_budget: dailyBudget, left, calls_per_second: callsPerSecond };
    });
    const rows = providers.map((each) => [
      each.provider,
      String(each.calls_today ?? '-'),
      String(each.daily_budget ?? 'none'),
      String(each.left ?? '-'),
      String(each.calls_per_second),
    ]);
    return {
      lines:
        rows.length === 0
          ? ['No provider is on here.']
          : [...columns([HEADING, ...rows]), '', `Budgets reset at ${resetsAt}.`],
      json: { providers, resets_at: resetsAt },
    };
  },
});
