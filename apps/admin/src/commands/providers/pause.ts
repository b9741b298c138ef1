import { toUtcSeconds } from '@pts/core/time';
import { pauseByOperator } from '@pts/db/providers';
import { databaseCommand } from '../../command-line/database-command.ts';
import { UsageError } from '../../command-line/problem.ts';
import { readUntil } from '../../command-line/read-until.ts';
import { floorSecondsIn } from '../../providers/environment.ts';
import { breakersOf } from '../../providers/names.ts';

/** Parcels without news for this long are given up; a pause should end before. */
const MAX_DAYS = 30;
const MAX_REASON = 200;

export const providersPause = databaseCommand({
  name: 'providers pause',
  audited: 'after',
  takes: ['name'],
  options: {
    for: { value: 'TIME', about: 'how long: 90m, 6h, 2d' },
    until: { value: 'TIME', about: 'until when, such as 2027-01-31T00:00:00Z' },
    reason: { value: 'TEXT', about: 'why, for other operators (default: paused by an operator)' },
  },
  about:
    'Make no calls to a provider for a while. No probe lifts it earlier; parcels with another provider in their route move there if it lasts more than five minutes.',
  async run({ db, now }, { name, for: span, until: end, reason = 'paused by an operator' }, { env }) {
    const at = now();
    const names = breakersOf(name);
    if (reason.length > MAX_REASON) throw new UsageError(`The reason may have ${MAX_REASON} characters.`);
    const until = readUntil({ for: span, until: end }, { now: at, maxDays: MAX_DAYS });
    const floorSeconds = floorSecondsIn(env, name);
    for (const breaker of names) await pauseByOperator(db, breaker, { until, reason, now: at }, floorSeconds);
    return {
      lines: [
        `${name} is paused until ${toUtcSeconds(until)}. Calls that are under way end; within seconds, no others begin.`,
      ],
      json: { provider: name, paused_until: toUtcSeconds(until), reason },
    };
  },
});
