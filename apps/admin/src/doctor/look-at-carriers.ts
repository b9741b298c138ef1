import { knownProviders } from '@pts/carriers/providers/configured';
import { concernsProvider } from '@pts/core/tracking/answer';
import type { Db } from '@pts/db/connection';
import { parcelOf } from '@pts/db/diagnosis';
import { Problem } from '../command-line/problem.ts';
import { connectOne, type Tried, tryNumber } from '../providers/try-number.ts';
import { advice, type Finding, type Look, ok, problem } from './finding.ts';

type Deps = { db: Db; env: NodeJS.ProcessEnv; now(): Date };

/** Calls each provider that is on once, about a parcel that it is asked about anyway: that costs nothing but a call. */
export const looksAtCarriers = (deps: Deps, ms: number): Look[] =>
  knownProviders(deps.env).map(({ name }) => ['carrier calls', async () => [await callOf(deps, name)], ms]);

async function callOf(deps: Deps, name: string): Promise<Finding> {
  const parcel = await parcelOf(deps.db, name);
  if (!parcel)
    return advice(
      'carrier calls',
      `${name} was not called: no parcel of it is watched`,
      `\`npm run admin -- providers try ${name} NUMBER\` asks about a number of your own`,
    );
  const { hints, ...question } = parcel;
  try {
    return findingOf(name, await tryNumber(deps, connectOne(deps, name), { ...question, ...hints }));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return advice('carrier calls', `${name} was not called: ${error.message}`, '`providers budget` shows what is left');
  }
}

function findingOf(name: string, { answer, durationMs }: Tried): Finding {
  if (answer.kind !== 'failed' || !concernsProvider(answer.failure))
    return ok('carrier calls', `${name} answers with these credentials, in ${durationMs} ms`);
  const what = `${name}: ${answer.message}`;
  if (answer.failure === 'auth')
    return problem('carrier calls', what, `correct the credentials of ${name} (docs/carriers.md)`);
  return problem('carrier calls', what, `look at the status page of ${name}, and at your contract with it`);
}
