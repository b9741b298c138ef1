import { bundleChaos } from '../../scripts/parts/chaos-parts.mjs';
import { setUp } from '../../scripts/parts/setup.mjs';

/** Builds the services, if one of the tests to run starts them, and what the chaos runs start in addition. */
export default async function build() {
  await setUp();
  await bundleChaos();
}
