import { testWebhook as contract } from '@pts/contract/operations/webhooks/webhook-tests';
import { type CheckName, expectedOf } from '@pts/core/webhook/receiver-check';
import type { CheckTrace } from '@pts/egress/check-receiver';
import { pingWebhook, previewTestPush, sendTestPush } from '@pts/service/webhooks';
import { operation } from '../../http/operation.ts';

/** POST /webhooks/test */
export const testWebhook = operation(contract, {
  async run(deps, { account }, { id, kind, event, dry_run: isDryRun }) {
    const push = { account, id, kind: kind ?? 'valid', event: event ?? 'ping' } as const;
    if (isDryRun) return viewPreview(await previewTestPush(deps, push), push);
    if (kind !== undefined || event !== undefined) return viewTest(await sendTestPush(deps, push), push.event);
    const { status, durationMs, error } = await pingWebhook(deps, { account, id });
    return {
      reachable: status !== null,
      http_status: status ?? 0,
      response_ms: durationMs,
      ...(error === null ? {} : { error }),
    };
  },
});

function viewTest({ sent, result, messageId, body }: CheckTrace, event: string) {
  const { name, expected, passed, http_status, response_ms } = result;
  const excerpt = sent.kind === 'answered' ? sent.excerpt : null;
  return {
    reachable: sent.kind === 'answered',
    http_status,
    response_ms,
    ...(sent.kind === 'answered' ? {} : { error: sent.reason }),
    push: { kind: name, event, message_id: messageId, body, expected, passed, response_excerpt: excerpt || null },
  };
}

function viewPreview(
  { url, messageId, headers, body, signedString }: Awaited<ReturnType<typeof previewTestPush>>,
  { kind, event }: { kind: CheckName; event: string },
) {
  const push = { kind, event, message_id: messageId, body, expected: expectedOf(kind) };
  return { dry_run: true as const, push: { ...push, url, headers, signed_string: signedString } };
}
