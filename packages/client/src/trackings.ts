import { type CallOptions, call } from './request.ts';
import { streamBatch } from './stream.ts';
import type { StreamNumbers } from './stream-body.ts';
import type * as t from './types.ts';
import type { Wire } from './wire.ts';

/** Up to 40 numbers, with or without optional fields. */
type Numbers = readonly (string | t.NewTracking)[];

/** One parcel, or up to 40 (spec section 4.2). */
export function trackingsOf(wire: Wire) {
  return {
    /** Registers a number: costs one unit of quota, or none if it is already registered. */
    create: (tracking: string | t.NewTracking, options?: CallOptions) =>
      call<t.CreatedTracking>(wire, 'createTracking', { body: toTracking(tracking) }, options),
    /** A dry run of `create`; nothing is registered or charged. */
    dryRun: (tracking: string | t.NewTracking, options?: CallOptions) =>
      call<t.DryRun>(wire, 'createTracking', { body: { ...toTracking(tracking), dry_run: true } }, options),
    /** The trackings of up to 40 numbers. To poll many, use `shipments`. */
    get: (numbers: string | readonly string[], options?: CallOptions) =>
      call<t.FoundTrackings>(
        wire,
        'getTrackings',
        { query: { tracking_numbers: [numbers].flat().join(',') } },
        options,
      ),
    /** Registers up to 40 numbers; refused ones are listed in `error`. */
    batch: (numbers: Numbers, options?: CallOptions) =>
      call<t.BatchResult>(wire, 'createTrackings', { body: numbers.map(toTracking) }, options),
    /** A dry run of `batch`, with the units of quota that it would use in all. */
    dryRunBatch: (numbers: Numbers, options?: CallOptions) =>
      call<t.DryRunBatch>(
        wire,
        'createTrackings',
        { body: { trackings: numbers.map(toTracking), dry_run: true } },
        options,
      ),
    one: (id: string, options?: CallOptions) => call<t.Tracking>(wire, 'getTracking', { id }, options),
    update: (id: string, change: t.TrackingChange, options?: CallOptions) =>
      call<t.Tracking>(wire, 'updateTracking', { id, body: change }, options),
    delete: (id: string, options?: CallOptions) => call<t.Deleted>(wire, 'deleteTracking', { id }, options),
    explain: (id: string, options?: CallOptions) => call<t.Explanation>(wire, 'explainTracking', { id }, options),
    /** Its events, newest first, and what became of their pushes. */
    events: (id: string, options?: CallOptions) => call<t.TrackingEvents>(wire, 'listTrackingEvents', { id }, options),
    /** Checks the tracking with its carrier now, at most once an hour. */
    retrack: (id: string, options?: CallOptions) => call<t.Retracked>(wire, 'retrackTracking', { id }, options),
    /** Stops polling; the tracking stays, and a retrack resumes it. */
    stop: (id: string, options?: CallOptions) => call<t.Tracking>(wire, 'stopTracking', { id }, options),
    /** A new link to the buyer's page; former ones lead nowhere from then on. */
    renewPage: (id: string, options?: CallOptions) => call<t.PageLink>(wire, 'renewPage', { id }, options),
    /** Revokes the link to the buyer's page. */
    revokePage: (id: string, options?: CallOptions) => call<t.PageLink>(wire, 'revokePage', { id }, options),
    /** Retracks by number; `courier_code` is required if it is registered with several carriers. */
    retrackNumber: (tracking: { tracking_number: string; courier_code?: string }, options?: CallOptions) =>
      call<t.Retracked>(wire, 'retrackByNumber', { body: tracking }, options),
  };
}

/** Many parcels: in the background, or as one stream. */
export function trackOf(wire: Wire) {
  return {
    /** Registers up to 40 numbers and returns a URL to poll for exactly these: pass `poll_url` to `shipments.poll`. */
    async: (numbers: Numbers, options?: CallOptions) =>
      call<t.AsyncResult>(wire, 'submitTrackings', { body: numbers.map(toTracking) }, options),
    /** Registers thousands of numbers; yields the first answer of each as it arrives, and a summary at the end. */
    stream: (numbers: StreamNumbers, options?: CallOptions) => streamBatch(wire, numbers, options),
  };
}

function toTracking(tracking: string | t.NewTracking): t.NewTracking {
  return typeof tracking === 'string' ? { tracking_number: tracking } : tracking;
}
