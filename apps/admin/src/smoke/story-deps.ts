import type { Client } from '@pts/client/client';
import type { Deadline } from './deadline.ts';
import type { Receiver } from './push-receiver.ts';

export type StoryDeps = {
  client: Client;
  /** Null: skips the webhook steps. */
  receiver: Receiver | null;
  deadline: Deadline;
  /** The polling interval; the endpoint allows two requests per second. */
  pollMs: number;
  /** Extra time for pushes and log entries if the parcel was delivered just before the deadline. */
  graceMs: number;
  out(line: string): void;
};

export type Parcel = {
  /** A number of the caller's own may have been registered before. */
  number: string;
  isFresh: boolean;
};
