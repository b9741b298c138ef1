import { BODY_BYTES, sizeText } from '@pts/contract/body-limits';
import { STREAM_EXAMPLE, streamLine, streamRequest } from '@pts/contract/stream';
import { ERRORS, ServiceError } from '@pts/core/errors';
import { endStreamLease, LEASE_SECONDS, renewStreamLease, takeStreamLease } from '@pts/db/accounts/stream-leases';
import type { ApiDeps } from '../../deps.ts';
import type { StreamOperation } from '../../http/operation.ts';
import { toApiError } from '../../http/respond-error.ts';
import { MOST_STREAMED, MOST_UNREADABLE, openInput, STREAM_JSON } from '../../streaming/input.ts';
import { openOutput } from '../../streaming/output.ts';
import { runStream } from '../../streaming/stream.ts';

/** POST /track/batch-stream: thousands of numbers in, and each of them out once its carrier has answered. */
export const batchStream: StreamOperation = {
  method: 'post',
  path: '/track/batch-stream',
  limit: 'track.batch-stream',
  bodyBytes: BODY_BYTES.stream,
  input: 'body',
  request: streamRequest,
  response: {},
  doc: {
    id: 'streamBatch',
    tag: 'Bulk',
    summary: 'Register thousands of numbers and stream their answers',
    description: `Takes up to ${MOST_STREAMED.toLocaleString('en')} numbers: as JSON (up to ${sizeText(BODY_BYTES.streamJson)}), or as \`application/x-ndjson\`, one number or object a line of at most ${sizeText(BODY_BYTES.streamLine)}, which is read as it arrives. A line that cannot be read becomes an \`error\` line; after ${MOST_UNREADABLE.toLocaleString('en')} of them, or ${sizeText(BODY_BYTES.stream)}, no more input is read. The answer is a JSON object a line, or server-sent events with \`Accept: text/event-stream\`: one \`tracking\` line per number once its first answer is stored, an \`error\` line for each that was refused, \`progress\` every 5 seconds, \`timeout\` for those whose carrier did not answer within 120 seconds, and one \`summary\` at the end. \`index\` is the number's place in the input.

Every accepted number that is new costs one unit; a client that leaves keeps what it has registered. An account may have 2 streams at once.`,
    errors: ['batch_too_large', 'number_missing', 'quota_exhausted'],
    media: {
      request: {
        'application/json': { schema: streamRequest, example: { tracking_numbers: ['YT8812345678901'] } },
        'application/x-ndjson': { schema: { type: 'string' }, example: 'YT8812345678901\n' },
      },
      response: {
        'application/x-ndjson': { schema: streamLine, example: STREAM_EXAMPLE },
        'text/event-stream': { schema: { type: 'string' } },
      },
    },
  },
  async stream(deps, caller, request, response, readJson) {
    const items = await openInput(request, response, () =>
      readJson(request, response, { ...STREAM_JSON, accountId: caller.account.id }),
    );
    await withLease(deps, caller.account.id, async () => {
      const output = openOutput(request, response, deps.streams.stalledMs);
      try {
        await runStream(deps, caller, items, output);
      } catch (fault) {
        const { error, message } = toApiError(fault);
        await output.end({ type: 'error', index: null, errorCode: ERRORS[error].number, errorMessage: message });
        throw fault;
      }
    });
  },
};

/** Streams of one account are few at once, also when a replica has crashed in the middle of some. */
async function withLease({ db, streams, now }: ApiDeps, accountId: string, run: () => Promise<void>): Promise<void> {
  const lease = await takeStreamLease(db, { accountId, most: streams.mostAtOnce, now: now() });
  if (lease === null)
    throw new ServiceError('too_many_requests', {
      text: `An account may have ${streams.mostAtOnce} streams at once. Back off for 120 seconds (Retry-After), or open the next as soon as one of yours has ended. The RateLimit headers are about requests a second.`,
    });
  const renewal = setInterval(
    () => void renewStreamLease(db, lease, now()).catch(() => {}),
    (LEASE_SECONDS * 1000) / 3,
  );
  try {
    await run();
  } finally {
    clearInterval(renewal);
    await endStreamLease(db, lease);
  }
}
