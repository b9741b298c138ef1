import { setUp } from '../../scripts/setup.mjs';

/** Builds the services, if one of the tests to run starts them. */
export default async function build() {
  await setUp();
}
