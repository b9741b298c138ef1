/** A number that a merchant has sent for registration, as the merchant recorded it. */
export type Registration = {
  account: string;
  number: string;
  /** `unknown`: no response, or one that leaves it open. */
  outcome: 'accepted' | 'unknown' | 'refused';
  /** The ids in responses. */
  ids: string[];
  /** The response that refused it. */
  refusal?: string;
};

/** A push as received. */
export type Push = {
  endpoint: string;
  messageId: string;
  event: string;
  attempt: number;
  /** The fault of its signature or headers; null if there is none. */
  fault: string | null;
  trackingId: string;
  seq: number;
  subStatus: string;
  /** The HTTP status of the response; 0: none, because its connection was reset or got no response. */
  answered: number;
};

export type Endpoint = { webhookId: string; account: string; path: string };

export type StoredParcel = { id: string; account: string; number: string; seq: number };

/** A state of a parcel: what the carrier says, or what the API shows. Scans are `<time> <text>`. */
export type Word = { subStatus: string; scans: string[] };

export type Delivery = {
  id: string;
  messageId: string;
  webhookId: string;
  state: string;
  attempts: number;
  /** The delivery log, in the order of its rows. */
  log: { round: number; attempt: number; statusCode: number }[];
};

/** A merchant's reader of the event feed, with what it has read. */
export type FeedReader = {
  account: string;
  /** Where it reads. */
  path: '/events' | '/events/stream';
  /** Ids of events. */
  seen: Set<string>;
  /** How often the service said where to go on instead (409). */
  resumed: number;
  /** Responses that a reader cannot do anything about. */
  refusals: string[];
};

/** Data lost in asynchronous failovers: committed on a server, and not known to the one that was promoted. */
export type Lost = {
  /** By id. */
  parcels: Map<string, Pick<StoredParcel, 'account' | 'number'>>;
  /** Ids of messages; the promoted server may store the same event again, under another id. */
  messages: Set<string>;
  /** Ids of messages of which attempts may be missing in the delivery log. */
  unlogged: Set<string>;
};

/** Everything that is known at the end of a run. */
export type Facts = {
  registrations: readonly Registration[];
  endpoints: readonly Endpoint[];
  /** By account. */
  charged: ReadonlyMap<string, number>;
  stored: readonly StoredParcel[];
  /** By id of the parcel: what the API shows at the end. */
  shown: ReadonlyMap<string, Word>;
  /** By number: what the carrier says at the end. */
  carrier: ReadonlyMap<string, Word>;
  messages: readonly { id: string; trackingId: string; seq: number }[];
  /** The number from which the numbers of events go on in each epoch. */
  seqFloors: ReadonlySet<number>;
  deliveries: readonly Delivery[];
  pushes: readonly Push[];
  /** Everything that the readers of the event feed got. */
  feeds: readonly Pick<FeedReader, 'account' | 'path' | 'seen' | 'refusals'>[];
  /** Data lost in failovers: the promises do not hold for it. */
  lost: Lost;
};

/** A promise that was not kept, and what it concerns. */
export type Discrepancy = { promise: string; about: string };
