import { track17 } from './17track.ts';
import { afterShip } from './aftership.ts';
import { australiaPost } from './australia-post.ts';
import { canadaPost } from './canada-post.ts';
import { dhlPaket } from './dhl-paket.ts';
import { dhlUnified } from './dhl-unified.ts';
import { dpd } from './dpd.ts';
import { easyPost } from './easypost.ts';
import { fedex } from './fedex.ts';
import { gls } from './gls.ts';
import { kdniao } from './kdniao.ts';
import { laPoste } from './la-poste.ts';
import { postnord } from './postnord.ts';
import { royalMail } from './royal-mail.ts';
import { sfExpress } from './sf-express.ts';
import { ship24 } from './ship24.ts';
import { trackingMore } from './trackingmore.ts';
import { ups } from './ups.ts';
import { usps } from './usps.ts';
import type { Wire } from './wire.ts';

/** Every wire except the sandbox's own and Kuaidi100's. A provider with `playedBySandbox` has one line here. */
export const WIRES: readonly Wire[] = [
  ups,
  fedex,
  usps,
  dhlUnified,
  dhlPaket,
  canadaPost,
  australiaPost,
  laPoste,
  royalMail,
  postnord,
  gls,
  dpd,
  sfExpress,
  kdniao,
  track17,
  trackingMore,
  ship24,
  afterShip,
  easyPost,
];
