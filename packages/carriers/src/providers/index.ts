import { track17 } from './17track/manifest.ts';
import { afterShip } from './aftership/manifest.ts';
import { dhlUnified } from './dhl-unified/manifest.ts';
import { easyPost } from './easypost/manifest.ts';
import { kuaidi100 } from './kuaidi100/manifest.ts';
import type { ProviderManifest } from './manifest.ts';
import { sandbox } from './sandbox/manifest.ts';
import { ship24 } from './ship24/manifest.ts';
import { trackingMore } from './trackingmore/manifest.ts';

/**
 * Every provider, in order of preference: the first enabled one that serves a carrier is queried. Carriers' own APIs come
 * first, then aggregators.
 */
export const PROVIDERS: readonly ProviderManifest[] = [
  dhlUnified,
  kuaidi100,
  track17,
  trackingMore,
  ship24,
  afterShip,
  easyPost,
  // Last, because it serves every carrier.
  sandbox,
];
