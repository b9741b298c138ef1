// npm run fuzz: the fuzzing tests alone, with more requests than `npm test` sends. FUZZ_COUNT sets their number
// (20000), FUZZ_SEED repeats those of a run, which prints its seed. Arguments go to jest.
import { env } from 'node:process';
import { answerHelp } from './parts/help.mjs';

answerHelp(import.meta.url);

env.FUZZ_COUNT ||= '20000';
process.argv.splice(2, 0, 'apps/api/src/fuzz', 'packages/egress/src/fuzz', 'apps/api/src/endpoints/hostile-webhooks');
await import('./test.mjs');
