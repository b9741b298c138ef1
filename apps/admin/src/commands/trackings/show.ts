import { normaliseNumber } from '@pts/core/tracking/number';
import { findAccount } from '@pts/db/accounts/accounts';
import { messagesOfTracking } from '@pts/db/deliveries/log';
import { locateTrackings } from '@pts/db/trackings/locate';
import { modesOf } from '@pts/service/accounts';
import { explainTracking } from '@pts/service/trackings/explain';
import { type DatabaseDeps, databaseCommand } from '../../command-line/database-command.ts';
import { Problem } from '../../command-line/problem.ts';
import { type Known, knownLines, viewKnown } from '../../records/tracking-views.ts';
import { serviceSettings } from '../../service-settings.ts';

/** A number may be registered by many accounts. */
const MAX_SHOWN = 20;

export const trackingsShow = databaseCommand({
  name: 'trackings show',
  audited: 'unseen',
  personal: ['idOrNumber'],
  takes: ['idOrNumber'],
  options: {},
  about:
    'Show everything that is known of a tracking, or of all with a number: account, carrier, provider, checks, answers, quarantine, events and each push.',
  async run(deps, { idOrNumber }, { env }) {
    const found = await findKnown(deps, idOrNumber, env);
    if (found.length === 0) throw new Problem(`No tracking has the id or the number ${idOrNumber}.`);
    return {
      lines: found.flatMap((known, n) => [...(n === 0 ? [] : ['', '']), ...knownLines(known)]),
      json: { trackings: found.map(viewKnown) },
      accountIds: [...new Set(found.map(({ account }) => account.id))],
    };
  },
});

async function findKnown(deps: DatabaseDeps, given: string, env: NodeJS.ProcessEnv): Promise<Known[]> {
  const { db } = deps;
  const depsOf = modesOf({ ...deps, ...serviceSettings(env) });
  const located = await locateTrackings(db, { id: given, number: normaliseNumber(given), limit: MAX_SHOWN });
  const found: Known[] = [];
  for (const { id, accountId } of located) {
    const account = await findAccount(db, accountId);
    if (!account) continue;
    const explained = await explainTracking(depsOf(account), { account, id });
    found.push({ account, explained, messages: await messagesOfTracking(db, { accountId, id }) });
  }
  return found;
}
