import { dhlUnified } from './dhl-unified.ts';
import type { Wire } from './wire.ts';

/** Every wire but the sandbox's own and Kuaidi100's. A provider with `playedBySandbox` has one line here. */
export const WIRES: readonly Wire[] = [dhlUnified];
