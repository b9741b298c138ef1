import { streamBatch } from '@pts/contract/operations/stream';
import { ERRORS } from '@pts/core/errors';
import { withStreamLease } from '@pts/service/streams';
import { helpAddress } from '../../http/errors/help.ts';
import { toApiError } from '../../http/errors/respond-error.ts';
import { streamOperation } from '../../http/operation.ts';
import { openInput, STREAM_JSON } from '../../streaming/input.ts';
import { openOutput } from '../../streaming/output.ts';
import { runStream } from '../../streaming/run-stream.ts';
import { createBulkWarnings, refuseDryRun } from './bulk-items.ts';

/** POST /track/batch-stream */
export const batchStream = streamOperation(streamBatch, {
  async stream(deps, caller, { request, response, readJson, confirm }) {
    const accountId = caller.account.id;
    const warnings = createBulkWarnings();
    const read = async () => {
      const body = await readJson(request, response, { ...STREAM_JSON, accountId });
      refuseDryRun(caller, body);
      warnings.lookBeside(body);
      return body;
    };
    const items = await openInput(request, response, read, deps.bulkhead.slices(accountId));
    await withStreamLease(deps, { accountId, kind: 'batch', max: deps.streams.maxConcurrency }, async () => {
      const output = openOutput(request, response, deps.streams.stalledMs);
      try {
        await runStream(deps, accountId, { pieces: items, output, baseUrl: caller.baseUrl, confirm, warnings });
      } catch (fault) {
        const { error, message } = toApiError(fault);
        const { number } = ERRORS[error];
        const docs_url = helpAddress(caller.baseUrl, number);
        await output.end({ type: 'error', index: null, errorCode: number, errorMessage: message, docs_url });
        throw fault;
      }
    });
  },
});
