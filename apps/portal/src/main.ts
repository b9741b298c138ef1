/** What the build of the portal runs: scripts/parts/portal.mjs bundles it, and writes the files that it makes. */
export { makeSite } from './site/site.ts';
