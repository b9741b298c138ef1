import * as contract from '@pts/contract/batch';
import { ERRORS } from '@pts/core/errors';
import { withStreamLease } from '@pts/service/streams';
import { previewMany, registerMany } from '@pts/service/trackings/register';
import { helpAddress } from '../http/addresses.ts';
import { toApiError } from '../http/errors.ts';
import { operation, streamOperation } from '../http/operation.ts';
import { openInput, STREAM_JSON } from '../streaming/input.ts';
import { openOutput } from '../streaming/output.ts';
import { runStream } from '../streaming/run-stream.ts';
import {
  asBulk,
  bulkWarnings,
  createBulkWarnings,
  isDryRun,
  readAll,
  readItems,
  refuseDryRun,
  refusedView,
} from './bulk-items.ts';
import { viewCreated, viewPreview } from './trackings.ts';

/** POST /trackings/batch */
export const batchTrackings = operation(contract.createTrackings, {
  async run(deps, caller, input) {
    const asPreview = isDryRun(caller, input);
    const { account, baseUrl } = caller;
    const items = await readAll({ ...deps, accountId: account.id }, readItems(input), deps.bulkhead.slices(account.id));
    if (!asPreview) {
      const { accepted, refused } = await asBulk(deps, account.id, () => registerMany(deps, account, items));
      return {
        success: accepted.map(({ tracking }) => viewCreated(tracking)),
        error: refused.map(refusedView(baseUrl)),
        ...bulkWarnings(input),
      };
    }
    const { accepted, refused } = await asBulk(deps, account.id, () => previewMany(deps, account, items));
    const success = accepted.map(({ tracking }) => viewPreview(tracking));
    const charged = success.reduce((sum, entry) => sum + entry.would_charge, 0);
    return {
      dry_run: true,
      success,
      error: refused.map(refusedView(baseUrl)),
      would_charge: charged,
      ...bulkWarnings(input),
    };
  },
});

/** POST /track/async */
export const trackAsync = operation(contract.submitTrackings, {
  async run(deps, caller, input) {
    refuseDryRun(caller, input);
    const { account, baseUrl } = caller;
    const items = await readAll({ ...deps, accountId: account.id }, readItems(input), deps.bulkhead.slices(account.id));
    const { accepted, refused } = await asBulk(deps, account.id, () => registerMany(deps, account, items));
    const ids = [...new Set(accepted.map(({ tracking }) => tracking.id))];
    const poll = new URL(`${baseUrl}/api/v1/shipments`);
    poll.searchParams.set('ids', ids.join(','));
    return {
      accepted: accepted.length,
      poll_url: poll.href,
      error: refused.map(refusedView(baseUrl)),
      ...bulkWarnings(input),
    };
  },
});

/** POST /track/batch-stream */
export const batchStream = streamOperation(contract.streamBatch, {
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
        await runStream(deps, accountId, {
          pieces: items,
          output,
          baseUrl: caller.baseUrl,
          include: caller.include,
          confirm,
          warnings,
        });
      } catch (fault) {
        const { error, text } = toApiError(fault);
        const { number } = ERRORS[error];
        const docs_url = helpAddress(caller.baseUrl, number);
        await output.end({ type: 'error', index: null, errorCode: number, errorMessage: text, docs_url });
        throw fault;
      }
    });
  },
});
