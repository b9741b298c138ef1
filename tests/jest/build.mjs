import { bundleChaos } from '../../scripts/chaos-parts.mjs';
import { setUp } from '../../scripts/setup.mjs';

/** Builds the services, if one of the tests to run starts them, and what the chaos runs start in addition. */
export default async function build() {
  await setUp();
  await bundleChaos();
}
