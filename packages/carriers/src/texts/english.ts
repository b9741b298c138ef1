import { returnIn } from '../answer/heard.ts';
import { GOING_BACK, type Meaning, meaningByRules, REFUSED, type TextRules } from '../answer/meaning.ts';

const POINT =
  /parcel ?shop|pick ?up ?shop|paketshop|locker|packstation|(?:collection|pick-?up|service|access) (?:point|location)/i;
/** A post office is such a point too, but parcels also pass through it. */
const OFFICE = /post office|retail outlet|branch/i;
const LEFT_AT = /(?:delivered|available|deposited|left|stored|held) (?:to|at|in|with) /i;

/** Announcements and denials that contain the words of the rules below. */
const NOT_DELIVERED =
  /(?:not|to|be|being|before|until|awaiting|for|expected|scheduled|estimated) (?:yet |been |be |successfully )?delivered/i;

/** What happens to a parcel that nobody collects. */
const CONDITIONAL =
  /\b(?:item|parcel|package|shipment|it)? ?will be (?:returned|sent back)[^.;!]{0,100}\b(?:if|unless)\b[^.;!]{0,200}/gi;

/** English texts of scans, as the carriers' own APIs write them. */
const RULES: TextRules = [
  [[/return/i, /sender|shipper|origin/i], GOING_BACK],
  [/return shipment|(?:sent|going|way) back/i, GOING_BACK],
  [/refus(?:ed|al)|rejected by|did not accept/i, REFUSED],
  [[/label|shipping information|shipment information/i, /created|printed|received|approved/i], 'info_received'],
  [/pre-?advi[cs]e|announced|data (?:was|were|has been|have been) (?:entered|received|transmitted)/i, 'info_received'],
  [
    /electronic (?:information|notification|shipping|data|advice)|electronically (?:announced|transmitted|submitted)/i,
    'info_received',
  ],
  [/instruction data|order information|sender (?:is )?(?:preparing|despatching)/i, 'info_received'],
  [/(?:collection|pick-?up) (?:by|from) (?:the )?(?:courier|carrier|sender|shipper)/i, 'info_received'],
  [/not (?:yet )?(?:been )?(?:collected|picked up)/i, 'available_for_pickup'],
  [[/(?:^| )ready|available|await|waiting|held|hold/i, /collect|pick-?up|picked up/i], 'available_for_pickup'],
  [/be (?:collected|picked up)/i, 'available_for_pickup'],
  [
    /\bfinal notice\b|\breminder to (?:pick ?up|collect)|notice (?:card )?left[^.]{0,40}pick ?up/i,
    'available_for_pickup',
  ],
  [[/arrived (?:at|in) /i, POINT], 'available_for_pickup'],
  [[LEFT_AT, POINT], 'available_for_pickup'],
  [[LEFT_AT, OFFICE], 'available_for_pickup'],
  [/damaged|\blost\b|missing|destroyed|seized|cancell?ed|disposed/i, 'exception'],
  [
    /undeliverable|not deliverable|cannot be delivered|no such address|addressee unknown|addressee gone/i,
    'undeliverable',
  ],
  [
    /unsuccessful|attempted|delivery attempt|deliver attempt|undelivered|not delivered|no answer|delivery failed|failed delivery/i,
    'exception',
  ],
  [
    /could not be delivered|couldn't be delivered|could not deliver|unable to deliver|delivery (?:was )?not possible/i,
    'exception',
  ],
  [/delayed|possible delay|held (?:by|at|in)|on hold|retained by customs|addressing error|address error/i, 'exception'],
  [/(?:wrong|incorrect|incomplete|insufficient) address/i, 'exception'],
  [
    /(?<!\bbe )out for delivery|on ?board for delivery|(?:vehicle|van|truck) for delivery|delivery (?:vehicle|van)|for delivery today/i,
    'out_for_delivery',
  ],
  [
    /with (?:the |our |a )?(?:delivery )?(?:courier|driver|postman)|way to (?:the )?(?:consignee|recipient)(?! country)/i,
    'out_for_delivery',
  ],
  [
    /(?:collected|picked up|received|accepted) by (?:the |a |your )?(?:recipient|receiver|customer|addressee|consignee|neighbou?r|household)/i,
    'delivered',
  ],
  [[/recipient|receiver|addressee|consignee/i, /(?:has|have) (?:collected|picked up)/i], 'delivered'],
  [/signed (?:for|by)|left in (?:a )?safe ?place/i, 'delivered'],
  [
    /left (?:at|in|with|on|by) (?:the |a |your )?(?:front |back |side )?(?:door|porch|garage|reception|mail ?(?:box|room)|letter ?box|neighbou?r)/i,
    'delivered',
  ],
];

/**
 * What an English text says about the parcel; undefined if it only says that it moves. Delivery is read narrowly: an announced
 * or denied one has not happened.
 */
export function meaningOfEnglish(written: string): Meaning | undefined {
  const text = written.replace(CONDITIONAL, '');
  const meaning = returnIn(text) ?? meaningByRules(text, RULES);
  if (meaning !== undefined || NOT_DELIVERED.test(text)) return meaning;
  return /delivered/i.test(text) ? { status: 'delivered' } : undefined;
}
