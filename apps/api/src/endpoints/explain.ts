import * as contract from '@pts/contract/explain';
import { toUtcSeconds } from '@pts/core/time';
import { localTimeOf, type Scan, toTrackingEvent } from '@pts/core/tracking/scan';
import { type Explanation, explainTracking } from '@pts/service/trackings/explain';
import { operation } from '../http/operation.ts';

/** GET /trackings/{id}/explain */
export const explainTrackingEndpoint = operation(contract.explainTracking, {
  async run(deps, { account }, { id }) {
    const explained = await explainTracking(deps, { account, id });
    const { tracking, callbacks, failing, quarantine } = explained;
    return {
      id,
      tracking_number: tracking.trackingNumber,
      status: tracking.status,
      sub_status: tracking.subStatus,
      carrier: viewCarrier(explained),
      provider: tracking.provider,
      route: explained.route,
      watch: viewWatch(explained),
      cadence: viewCadence(explained),
      ...(callbacks && { callbacks: viewCallbacks(callbacks) }),
      last_answer: viewAnswer(explained),
      ...(failing && { failing: { ...failing, since: toUtcSeconds(failing.since) } }),
      ...(quarantine && { quarantine: viewQuarantine(quarantine) }),
      notice: tracking.notice,
      held_back_by: explained.holds.map(({ kind, until, message }) => ({ kind, until: timeOf(until), message })),
      scan_times: tracking.events.map(viewScanTime),
      quota: viewQuota(explained),
    };
  },
});

function viewCarrier({ carrier: { code, name, pageUrl, chosenBy, message, candidates, askedInTurn } }: Explanation) {
  return {
    courier_code: code,
    courier_name: name,
    page_url: pageUrl,
    chosen_by: chosenBy,
    message,
    candidates: candidates.map(({ carrier, ...why }) => ({ courier_code: carrier, ...why })),
    ...(askedInTurn.length > 0 && { asked_in_turn: askedInTurn }),
  };
}

function viewWatch({ watch }: Explanation) {
  const { mode, intervalSeconds, reason, message, lastCheckedAt, nextCheckAt, expiresAt } = watch;
  return {
    watched: mode !== 'stopped',
    mode,
    interval_seconds: intervalSeconds,
    reason,
    message,
    last_checked_at: timeOf(lastCheckedAt),
    next_check_at: timeOf(nextCheckAt),
    expires_at: timeOf(expiresAt),
  };
}

function viewCadence({ cadence: { isMonitored, intervalSeconds, floorSeconds, message } }: Explanation) {
  return { webhook_enabled: isMonitored, interval_seconds: intervalSeconds, floor_seconds: floorSeconds, message };
}

function viewAnswer({ tracking: { lastAnswer } }: Explanation) {
  if (lastAnswer === null) return null;
  const { kind, failure = null, at, latencyMs, scans, untimed } = lastAnswer;
  return {
    kind,
    failure,
    at: toUtcSeconds(new Date(at)),
    latency_ms: latencyMs,
    scans,
    ...(untimed && { untimed_scans: untimed }),
  };
}

function viewCallbacks({
  state,
  subscribedAt,
  pushedAt,
  awaitedSince,
  retryAt,
  message,
}: NonNullable<Explanation['callbacks']>) {
  return {
    state,
    subscribed_at: timeOf(subscribedAt),
    last_callback_at: timeOf(pushedAt),
    waiting_since: timeOf(awaitedSince),
    retry_at: timeOf(retryAt),
    message,
  };
}

function viewQuarantine({ reason, since, message, scans }: NonNullable<Explanation['quarantine']>) {
  return { reason, since: toUtcSeconds(since), message, events: scans.map(toTrackingEvent) };
}

function viewScanTime(scan: Scan) {
  const { time, timeRaw, zoneSource } = scan;
  return { time, carrier_time: timeRaw, local_time: localTimeOf(scan), zone_source: zoneSource };
}

function viewQuota({ quota: { limit, used, left, resetsAt, message } }: Explanation) {
  return {
    quota_limit: limit,
    quota_used: used,
    quota_remaining: left,
    resets_at: toUtcSeconds(resetsAt),
    message,
  };
}

function timeOf(time: Date | null): string | null {
  return time && toUtcSeconds(time);
}
