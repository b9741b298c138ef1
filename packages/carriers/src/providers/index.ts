import { track17 } from './17track/manifest.ts';
import { afterShip } from './aftership/manifest.ts';
import { australiaPost } from './australia-post/manifest.ts';
import { canadaPost } from './canada-post/manifest.ts';
import { dhlPaket } from './dhl-paket/manifest.ts';
import { dhlUnified } from './dhl-unified/manifest.ts';
import { dpd } from './dpd/manifest.ts';
import { easyPost } from './easypost/manifest.ts';
import { fedex } from './fedex/manifest.ts';
import { gls } from './gls/manifest.ts';
import { kdniao } from './kdniao/manifest.ts';
import { kuaidi100 } from './kuaidi100/manifest.ts';
import { laPoste } from './la-poste/manifest.ts';
import type { ProviderManifest } from './manifest.ts';
import { postnord } from './postnord/manifest.ts';
import { royalMail } from './royal-mail/manifest.ts';
import { testCarrier } from './sandbox/for-tests.ts';
import { sandbox } from './sandbox/manifest.ts';
import { sfExpress } from './sf-express/manifest.ts';
import { ship24 } from './ship24/manifest.ts';
import { trackingMore } from './trackingmore/manifest.ts';
import { ups } from './ups/manifest.ts';
import { usps } from './usps/manifest.ts';

/**
 * Every provider, in order of preference: the first enabled one that serves a carrier is queried. Carriers' own APIs come
 * first, then aggregators.
 */
export const PROVIDERS: readonly ProviderManifest[] = [
  ups,
  fedex,
  usps,
  dhlPaket,
  dhlUnified,
  canadaPost,
  australiaPost,
  laPoste,
  royalMail,
  postnord,
  gls,
  dpd,
  sfExpress,
  kuaidi100,
  kdniao,
  track17,
  trackingMore,
  ship24,
  afterShip,
  easyPost,
  // Last, because it serves every carrier.
  sandbox,
  testCarrier,
];
