import { accountResponse, meResponse } from '../account.ts';
import { asyncResponse, batchResponse, dryRunBatch, itemError } from '../bulk.ts';
import { errorEnvelope, status, subStatus, trackingEvent } from '../common.ts';
import { candidate, courier, couriersResponse, detectResponse } from '../couriers.ts';
import { eventsResponse, feedEvent } from '../events.ts';
import { explainResponse } from '../explain.ts';
import { pushedTracking } from '../pushes.ts';
import { replay, replaysResponse } from '../replays.ts';
import { streamLine } from '../stream.ts';
import {
  createdTracking,
  createRequest,
  dryRunTracking,
  getResponse,
  retrackResponse,
  shipment,
  shipmentsResponse,
  tracking,
  watch,
} from '../trackings.ts';
import { checkWebhookResponse } from '../webhook-check.ts';
import { deliveryResponse, redeliverResponse } from '../webhook-deliveries.ts';
import {
  deliveriesResponse,
  deliveryRecord,
  registerRequest,
  registerResponse,
  testResponse,
  webhook,
  webhooksResponse,
} from '../webhooks.ts';

/** Schemas with a name of their own, wherever they occur. */
export const COMPONENTS: Readonly<Record<string, object>> = {
  Status: status,
  SubStatus: subStatus,
  Tracking: tracking,
  TrackingWatch: watch,
  TrackingEvent: trackingEvent,
  NewTracking: createRequest,
  CreatedTracking: createdTracking,
  DryRunTracking: dryRunTracking,
  FoundTrackings: getResponse,
  BatchResult: batchResponse,
  DryRunBatch: dryRunBatch,
  AsyncResult: asyncResponse,
  StreamLine: streamLine,
  ItemError: itemError,
  Retracked: retrackResponse,
  Explanation: explainResponse,
  Shipment: shipment,
  ShipmentPage: shipmentsResponse,
  Event: feedEvent,
  EventPage: eventsResponse,
  PushedTracking: pushedTracking,
  Courier: courier,
  CourierList: couriersResponse,
  CourierCandidate: candidate,
  Detection: detectResponse,
  NewWebhook: registerRequest,
  RegisteredWebhook: registerResponse,
  Webhook: webhook,
  WebhookList: webhooksResponse,
  WebhookTest: testResponse,
  WebhookCheck: checkWebhookResponse,
  DeliveryRecord: deliveryRecord,
  DeliveryLog: deliveriesResponse,
  Delivery: deliveryResponse,
  Redelivery: redeliverResponse,
  Replay: replay,
  ReplayList: replaysResponse,
  Account: accountResponse,
  Me: meResponse,
  Error: errorEnvelope,
};

const NAMES = new Map(Object.entries(COMPONENTS).map(([name, schema]) => [schema, name]));

/** Keeps account of which schemas a document refers to. */
export type References = {
  /** A schema in which each that has a name is a reference to it. */
  refer(schema: object): object;
  /** All that was referred to so far, and what that refers to itself. */
  schemas(): Record<string, object>;
};

/** What nothing refers to stays out of the document. */
export function createReferences(): References {
  const used = new Map<string, object>();

  function walk(node: unknown): unknown {
    if (typeof node !== 'object' || node === null) return node;
    const name = NAMES.get(node);
    if (name === undefined) return inside(node);
    if (!used.has(name)) {
      // Before the walk: a schema may come to itself.
      used.set(name, {});
      used.set(name, { title: name, ...(inside(node) as object) });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function inside(node: object): unknown {
    if (Array.isArray(node)) return node.map(walk);
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, walk(value)]));
  }

  return {
    refer: (schema) => walk(schema) as object,
    schemas: () =>
      Object.fromEntries(
        Object.keys(COMPONENTS).flatMap((name) => {
          const schema = used.get(name);
          return schema ? [[name, schema]] : [];
        }),
      ),
  };
}
