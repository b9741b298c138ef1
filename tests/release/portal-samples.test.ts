import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ERRORS } from '@pts/core/errors';
import { openDatabase } from '@pts/db/connection';
import { createOperatorKey } from '@pts/service/accounts';
import { EXAMPLE_HOST, EXAMPLE_KEY, EXAMPLE_OPERATOR_KEY } from '../../apps/portal/src/reference/placeholders.ts';
import { OPERATIONS, referenceOf } from '../../apps/portal/src/reference/reference.ts';
import { exampleRequest, type SampleLanguage, samplesOf } from '../../apps/portal/src/reference/samples.ts';
import { testWith } from '../support/languages/languages.ts';
import { type NamedSample, RUNNERS, type Runner, runSamples } from '../support/languages/samples.ts';
import { type Service, startFastService } from '../support/service.ts';

/** It never ends by itself. */
const ENDLESS = ['streamEvents'];

let service: Service;
let close: () => Promise<void>;
let folder: string;
let operatorKey: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pts-samples-'));
  ({ service, close } = await startFastService('samples', undefined, { OPERATOR_API: 'true' }));
  const db = openDatabase({ url: service.ready.database_url, poolSize: 1 });
  ({ operatorKey } = await createOperatorKey({ db, now: () => new Date() }, { name: 'samples' }));
  await db.$disconnect();
});
afterAll(async () => {
  await close?.();
  rmSync(folder, { recursive: true, force: true });
});

const ended = OPERATIONS.filter(({ id }) => !ENDLESS.includes(id));

/** A text of the reference, with the address and the key of this service. */
function real(text: string): string {
  return text
    .replaceAll(EXAMPLE_HOST, service.ready.base_url)
    .replaceAll(EXAMPLE_KEY, service.ready.api_key)
    .replaceAll(EXAMPLE_OPERATOR_KEY, operatorKey);
}

function samplesIn(language: SampleLanguage): NamedSample[] {
  return ended.flatMap((operation) =>
    samplesOf(exampleRequest(operation, referenceOf(operation, 'en')))
      .filter(({ name }) => name === language)
      .map((sample) => ({ ...sample, id: operation.id, text: real(sample.text) })),
  );
}

/** What an answer says first: the code of its envelope, or that it is no JSON. */
function codeOf(answer: string | undefined): number | string {
  if (answer === undefined || answer === '') return 'nothing';
  const [, code] = /^\{"code":(\d+)/.exec(answer) ?? [];
  return code === undefined ? 'text' : Number(code);
}

/** The answers to a request that the service understands: the ids of the examples are not those of this account. */
const UNDERSTOOD = [200, 'text', ERRORS.not_found.number, ERRORS.not_registered.number, ERRORS.retrack_too_soon.number];
/**
 * Ids of deliveries are sealed by their installation; a replay begins within the time for which events are kept, and
 * statistics within that of their figures: the examples are older, some day.
 */
const OF_ITS_OWN: Partial<Record<string, number>> = {
  getStats: ERRORS.invalid_field.number,
  explainDelivery: ERRORS.invalid_id.number,
  redeliver: ERRORS.invalid_id.number,
  startReplay: ERRORS.invalid_field.number,
};
/** One of them may still run, and an account has one at a time. */
const ONE_AT_A_TIME = ['bulkRetrack', 'bulkStop', 'bulkDelete', 'bulkRedeliver'];

function isUnderstood(id: string, code: number | string): boolean {
  return (
    UNDERSTOOD.includes(code) ||
    OF_ITS_OWN[id] === code ||
    (ONE_AT_A_TIME.includes(id) && code === ERRORS.conflict.number)
  );
}

for (const [language, runner] of Object.entries(RUNNERS) as [SampleLanguage, Runner][]) {
  const promise = `every sample in ${language} makes a request that the service understands`;
  testWith(language, runner.lacks, promise, async () => {
    const answers = await runSamples(runner, samplesIn(language), join(folder, language));
    const codes = ended.map(({ id }) => [id, codeOf(answers.get(id))] as const);
    expect(codes.filter(([id, code]) => !isUnderstood(id, code))).toEqual([]);
    expect(codes.filter(([, code]) => code === 200 || code === 'text').length).toBeGreaterThan(20);
  });
}
