import { track17 } from './formats/17track.ts';
import { afterShip } from './formats/aftership.ts';
import { australiaPost } from './formats/australia-post.ts';
import { canadaPost } from './formats/canada-post.ts';
import { dhlPaket } from './formats/dhl-paket.ts';
import { dhlUnified } from './formats/dhl-unified.ts';
import { dpd } from './formats/dpd.ts';
import { easyPost } from './formats/easypost.ts';
import { fedex } from './formats/fedex.ts';
import { gls } from './formats/gls.ts';
import { kdniao } from './formats/kdniao.ts';
import { laPoste } from './formats/la-poste.ts';
import { postnord } from './formats/postnord.ts';
import { royalMail } from './formats/royal-mail.ts';
import { sfExpress } from './formats/sf-express.ts';
import { ship24 } from './formats/ship24.ts';
import { trackingMore } from './formats/trackingmore.ts';
import { ups } from './formats/ups.ts';
import { usps } from './formats/usps.ts';
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
