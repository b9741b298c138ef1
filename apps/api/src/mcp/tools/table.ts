import type { Tool } from '../tool.ts';
import { account, attention, search } from './lists.ts';
import { detect, explain, get, register, retrack } from './parcels.ts';
import { deliveries, delivery, health, sendAgain } from './webhooks.ts';

/** Every tool, in the order in which agents see them. */
export const TOOLS: readonly Tool[] = [
  attention,
  search,
  get,
  explain,
  detect,
  register,
  retrack,
  account,
  health,
  deliveries,
  delivery,
  sendAgain,
];
