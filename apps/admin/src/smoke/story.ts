import type { Client } from '@pts/client/client';
import type { Deadline } from './deadline.ts';
import type { Receiver } from './receiver.ts';
import { awaitPushes } from './step-await-pushes.ts';
import { checkDeliveryLog } from './step-check-delivery-log.ts';
import { checkQuota } from './step-check-quota.ts';
import { createParcel } from './step-create-parcel.ts';
import { followParcel } from './step-follow-parcel.ts';
import { ping } from './step-ping.ts';
import { registerReceiver, type Webhook } from './step-register-receiver.ts';
import { removeReceiver } from './step-remove-receiver.ts';
import { whoAmI } from './step-who-am-i.ts';
import type { RunStep } from './steps.ts';

export type StoryDeps = {
  client: Client;
  /** Null: the story is told without webhooks. */
  receiver: Receiver | null;
  deadline: Deadline;
  /** Between two looks at the parcel; the operation takes two requests a second. */
  pollMs: number;
  /** For pushes and log entries to come, when the parcel was delivered just before the deadline. */
  graceMs: number;
  out(line: string): void;
};

export type Parcel = {
  /** A number of the caller's own may have been registered before. */
  number: string;
  isFresh: boolean;
};

/** What a merchant does with the service, from the first look at the account to the parcel at the door. */
export async function tellStory(deps: StoryDeps, parcel: Parcel, step: RunStep): Promise<void> {
  const { receiver } = deps;
  await step('API key', () => whoAmI(deps));
  const webhook = receiver && (await step('webhook registered', () => registerReceiver(deps, receiver)));
  try {
    await followOne(deps, parcel, step, receiver && webhook && { receiver, webhook });
  } finally {
    if (webhook) await removeReceiver(deps, webhook);
  }
}

type Subscription = { receiver: Receiver; webhook: Webhook };

async function followOne(
  deps: StoryDeps,
  parcel: Parcel,
  step: RunStep,
  subscription: Subscription | null,
): Promise<void> {
  if (subscription) await step('signed ping', () => ping(deps, subscription.receiver, subscription.webhook));
  const created = await step('parcel registered', () => createParcel(deps, parcel));
  await step('parcel delivered', () => followParcel(deps, created));
  if (subscription) {
    const pushes = await step('signed pushes', () => awaitPushes(deps, subscription.receiver, created));
    await step('delivery log', () => checkDeliveryLog(deps, subscription.webhook, pushes));
  }
  await step('quota', () => checkQuota(deps, created));
}
