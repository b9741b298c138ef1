import { dhlUnified } from './dhl-unified.ts';
import { fedex } from './fedex.ts';
import { ups } from './ups.ts';
import { usps } from './usps.ts';
import type { Wire } from './wire.ts';

/** Every wire but the sandbox's own and Kuaidi100's. A provider with `playedBySandbox` has one line here. */
export const WIRES: readonly Wire[] = [ups, fedex, usps, dhlUnified];
