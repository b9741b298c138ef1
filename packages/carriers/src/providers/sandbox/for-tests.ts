import { TEST_PROVIDER } from '@pts/core/provider';
import { defineProvider, requiredAddress } from '../manifest.ts';
import { sandboxClient } from './client.ts';
import { BATCH_SIZE, sandbox } from './manifest.ts';

/** The sandbox carrier for test accounts, and for them alone. */
export const testCarrier = defineProvider({
  ...sandbox,
  name: TEST_PROVIDER,
  title: 'Test carrier',
  about: 'a sandbox carrier for the parcels of test keys, and for no others (docs/sandbox.md#test-keys)',
  settings: {
    baseUrl: requiredAddress(
      'TEST_CARRIER_URL',
      'address of a sandbox carrier for test keys; without it, there are none',
      'docs/sandbox-carrier.md says how to run one',
    ),
  },
  limits: { ...sandbox.limits, callsPerSecond: 20 },
  connect: ({ baseUrl }) => sandboxClient({ baseUrl, batchSize: BATCH_SIZE }),
});
