import { carriers } from '../../registry/registry.ts';
import { defineProvider, requiredAddress } from '../manifest.ts';
import { sandboxClient } from './client.ts';
import { parseTrack } from './parse.ts';

export const BATCH_SIZE = 40;

export const sandbox = defineProvider({
  name: 'sandbox',
  title: 'Sandbox carrier',
  about: 'scripted journeys for any carrier and for the carrier `sandbox`, for demos and tests (docs/sandbox.md)',
  capabilities: ['read', 'batch'],
  // About half of its texts; the others are Chinese, which their script shows.
  language: 'en',
  carriers: Object.fromEntries(carriers({ sandbox: true }).map(({ code }) => [code, code])),
  requires: {},
  settings: {
    baseUrl: requiredAddress(
      'SANDBOX_URL',
      'address of the sandbox carrier',
      'docs/sandbox-carrier.md says how to run one',
    ),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 8,
    callsPerSecond: 100,
    floorSeconds: 0,
  },
  answers: 'JSON of POST /track: results[].scans[]',
  parse: (outcome, requested) =>
    parseTrack(
      outcome,
      requested.map(({ number }) => number),
    ),
  connect: ({ baseUrl }) => sandboxClient({ baseUrl, batchSize: BATCH_SIZE }),
});
