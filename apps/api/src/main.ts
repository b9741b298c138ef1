import { boot } from '@pts/runtime/process/boot';
import { runApi } from './serve.ts';

await boot('api', process.env, () => runApi(process.env));
