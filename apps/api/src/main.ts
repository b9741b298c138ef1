import { boot } from '@pts/runtime/shutdown';
import { startApi } from './start.ts';

await boot(() => startApi(process.env));
