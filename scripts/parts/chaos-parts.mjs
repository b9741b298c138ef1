import { join } from 'node:path';
import { bundleInto } from './bundle.mjs';
import { ROOT } from './lib.mjs';

/** The programs that a chaos run starts beside the services, by the file into which each is bundled. */
const PARTS = { 'parts/receiver.mjs': 'chaos/receiver/main.ts', 'parts/clock.mjs': 'chaos/clock/main.ts' };

/** Bundles programs of chaos runs into `.cache/chaos`; without arguments, those that a run starts. */
export async function bundleChaos(programs = PARTS) {
  for (const [name, entry] of Object.entries(programs)) await bundleInto(join(ROOT, '.cache/chaos', name), entry);
}
