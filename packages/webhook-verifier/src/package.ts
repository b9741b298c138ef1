// What the npm package exports: `verify.ts`, which receivers also copy as one file, and the type of what it verifies.

import type { anyPush } from '@pts/contract/pushes';
import type { Infer } from '@pts/contract/schema';

export * from './verify.ts';

/** The body of a verified push, once it is parsed; `event` tells the kinds apart. */
export type Push = Infer<typeof anyPush>;
