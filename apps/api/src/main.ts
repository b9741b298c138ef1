import { boot } from '@pts/runtime/process/shutdown';
import { runApi } from './serve.ts';

await boot('api', process.env, () => runApi(process.env));
