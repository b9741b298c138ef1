import { kuaidi100 } from './kuaidi100/manifest.ts';
import type { ProviderManifest } from './manifest.ts';
import { sandbox } from './sandbox/manifest.ts';

/** Every provider, in order of preference: of those that are on, the first that serves a carrier is asked. */
export const PROVIDERS: readonly ProviderManifest[] = [
  kuaidi100,
  // Last, because it serves every carrier.
  sandbox,
];
