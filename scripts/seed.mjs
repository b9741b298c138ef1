// npm run seed: registers parcels of the sandbox carrier in bulk, as if they had been tracked for a while.
import { runBundled } from './parts/run-bundled.mjs';

await runBundled({ entry: 'bench/seed/main.ts', name: 'seed' });
