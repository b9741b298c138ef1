import { boot } from '@pts/runtime/shutdown';
import { runApi } from './run.ts';

await boot(() => runApi(process.env));
