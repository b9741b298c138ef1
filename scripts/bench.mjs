// npm run bench: runs the benchmarks, which start their own servers. One line per figure.
import { runBundled } from './parts/run-bundled.mjs';

const apps = ['standalone', 'api', 'carrier-poller', 'webhook-dispatcher', 'sandbox-carrier', 'console', 'admin'];
await runBundled({ entry: 'bench/main.ts', name: 'bench', apps });
