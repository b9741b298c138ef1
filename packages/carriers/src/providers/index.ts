import { track17 } from './17track/index.ts';
import { afterShip } from './aftership/index.ts';
import { amazonShipping } from './amazon-shipping/index.ts';
import { aramex } from './aramex/index.ts';
import { australiaPost } from './australia-post/index.ts';
import { bpost } from './bpost/index.ts';
import { canadaPost } from './canada-post/index.ts';
import { cdek } from './cdek/index.ts';
import { correios } from './correios/index.ts';
import { correos } from './correos/index.ts';
import { delhivery } from './delhivery/index.ts';
import { dhlPaket } from './dhl-paket/index.ts';
import { dhlUnified } from './dhl-unified/index.ts';
import { dpd } from './dpd/index.ts';
import { easyPost } from './easypost/index.ts';
import { fedex } from './fedex/index.ts';
import { gls } from './gls/index.ts';
import { hermesDe } from './hermes-de/index.ts';
import { inpost } from './inpost/index.ts';
import { jtExpress } from './jt-express/index.ts';
import { kdniao } from './kdniao/index.ts';
import { kuaidi100 } from './kuaidi100/index.ts';
import { laPoste } from './la-poste/index.ts';
import type { ProviderManifest } from './manifest.ts';
import { novaPoshta } from './nova-poshta/index.ts';
import { posteItaliane } from './poste-italiane/index.ts';
import { postnl } from './postnl/index.ts';
import { postnord } from './postnord/index.ts';
import { royalMail } from './royal-mail/index.ts';
import { sandbox, testCarrier } from './sandbox/index.ts';
import { sfExpress } from './sf-express/index.ts';
import { ship24 } from './ship24/index.ts';
import { sweettracker } from './sweettracker/index.ts';
import { trackingMore } from './trackingmore/index.ts';
import { ups } from './ups/index.ts';
import { usps } from './usps/index.ts';

/**
 * Every provider, in order of preference: the first enabled one that serves a carrier is queried. Carriers' own APIs
 * come first, then aggregators.
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
  postnl,
  bpost,
  correos,
  posteItaliane,
  hermesDe,
  inpost,
  novaPoshta,
  cdek,
  delhivery,
  jtExpress,
  aramex,
  correios,
  amazonShipping,
  sfExpress,
  kuaidi100,
  kdniao,
  sweettracker,
  track17,
  trackingMore,
  ship24,
  afterShip,
  easyPost,
  // Last, because it serves every carrier.
  sandbox,
  testCarrier,
];
