import type { Receiver } from './push-receiver.ts';
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
import type { Parcel, StoryDeps } from './story-deps.ts';

/** The steps of a merchant, from checking the account to the delivered parcel. */
export async function runStory(deps: StoryDeps, parcel: Parcel, step: RunStep): Promise<void> {
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
