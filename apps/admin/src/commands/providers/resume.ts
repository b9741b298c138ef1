import { endPause } from '@pts/db/providers';
import { databaseCommand } from '../../command-line/database-command.ts';
import { floorSecondsIn } from '../../providers/environment.ts';
import { breakersOf } from '../../providers/names.ts';

export const providersResume = databaseCommand({
  name: 'providers resume',
  audited: 'after',
  takes: ['name'],
  options: {},
  about: 'End the pause of a provider now, whoever began it. Due checks are made at its usual rate.',
  async run({ db, now }, { name }, { env }) {
    const at = now();
    const ended = [];
    const breakers = breakersOf(name);
    const floorSeconds = floorSecondsIn(env, name);
    for (const breaker of breakers) ended.push(await endPause(db, breaker, at, floorSeconds));
    const wasPaused = ended.includes(true);
    return {
      lines: [wasPaused ? `${name} is called again within seconds.` : `${name} was not paused.`],
      json: { provider: name, was_paused: wasPaused },
    };
  },
});
