import { PROVIDERS } from '@pts/carriers/providers/index';
import { UsageError } from '../command-line/problem.ts';

/** Calls of these kinds are paused apart from checks; their breakers are named `kuaidi100:subscribe`. */
const KINDS = ['subscribe', 'release'] as const;

/** The names of the breakers of a provider: of its checks, and if it sends callbacks, of its subscriptions. @throws UsageError */
export function breakersOf(name: string): string[] {
  const manifest = PROVIDERS.find((each) => each.name === name);
  if (!manifest)
    throw new UsageError(
      `No such provider: "${name}". Choose one of ${PROVIDERS.map((each) => each.name).join(', ')}.`,
    );
  return [name, ...(manifest.callbacks ? KINDS.map((kind) => `${name}:${kind}`) : [])];
}
