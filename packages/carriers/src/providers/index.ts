import { dhlUnified } from './dhl-unified/manifest.ts';
import { kuaidi100 } from './kuaidi100/manifest.ts';
import type { ProviderManifest } from './manifest.ts';
import { sandbox } from './sandbox/manifest.ts';

/**
 * Every provider, in order of preference: the first enabled one that serves a carrier is queried. Carriers' own APIs come
 * first, then aggregators.
 */
export const PROVIDERS: readonly ProviderManifest[] = [
  dhlUnified,
  kuaidi100,
  // Last, because it serves every carrier.
  sandbox,
];
