// npm run fuzz: the fuzzing tests alone, with more requests than `npm test` sends.
import { env } from 'node:process';

env.FUZZ_COUNT ||= '20000';
process.argv.splice(2, 0, 'apps/api/src/fuzz', 'packages/egress/src/fuzz', 'apps/api/src/endpoints/webhooks/hostile');
await import('./test.mjs');
