import type { Infer } from '@pts/contract/infer';
import type { trackingPage } from '@pts/contract/pages';
import { toUtcSeconds } from '@pts/core/time';
import { toTrackingEvent } from '@pts/core/tracking/scan';
import type { PageView } from './page-view.ts';

/** A page as data. */
export function pageJson(view: PageView, token: string): Infer<typeof trackingPage> {
  const { record, texts } = view;
  const { status, subStatus, annotations } = record;
  const { estimate, pieces } = annotations ?? {};
  return {
    lang: view.language,
    headline: view.headline,
    notes: view.notes,
    ...(view.nextStep === null ? {} : { next_step: view.nextStep }),
    status,
    sub_status: subStatus,
    status_text: texts.status[status],
    sub_status_text: texts.subStatus[subStatus],
    ...(estimate === undefined ? {} : { estimated_delivery: estimate }),
    ...(pieces === undefined ? {} : { pieces }),
    carriers: view.carriers.map(({ name, number, url }) => ({ name, tracking_number: number, url })),
    steps: view.steps,
    events: view.events.map(({ scan, location, description, localTime, lang }) => ({
      ...toTrackingEvent({ ...scan, location, description }),
      ...(lang === null ? {} : { lang }),
      local_time: localTime,
    })),
    earlier_events: view.omitted,
    updated_at: toUtcSeconds(record.updatedAt),
    shop: {
      ...(record.shopName === null ? {} : { name: record.shopName }),
      ...(record.shopUrl === null ? {} : { url: record.shopUrl }),
      ...(record.supportUrl === null ? {} : { support_url: record.supportUrl }),
      ...(record.logoWidth === null ? {} : { logo_url: `${token}/logo` }),
    },
  };
}
