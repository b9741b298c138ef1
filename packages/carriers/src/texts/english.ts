import { factsOf, returnIn } from './heard.ts';
import { GOING_BACK, type Meaning, meaningByRules, REFUSED, type TextRules } from './meaning.ts';

const POINT =
  /parcel ?shop|pick ?up ?shop|paketshop|locker|packstation|(?:collection|pick-?up|service|access) (?:point|location)/i;
/** A post office is such a point too, but parcels also pass through it. */
const OFFICE = /post office|retail outlet|branch/i;
const LEFT_AT = /(?:delivered|available|deposited|left|placed|stored|held) (?:to|at|in|with) /i;

/** Announcements and denials that contain the words of the rules below. */
const NOT_DELIVERED =
  /(?:not|to|be|being|before|until|awaiting|for|expected|scheduled|estimated) (?:yet |been |be |successfully )?delivered/i;

/** Nobody was there. */
const NOBODY =
  /\b(?:recipient|addressee|receiver|consignee|customer|resident)(?: is| was)? (?:not (?:available|present|(?:at )?home|in)|unavailable|absent)\b|\b(?:nobody|no ?one)(?: is| was)? (?:at )?(?:home|present|available)\b|\b(?:card|notice) left\b|\b(?:business|premises)(?: is| was| were)? closed\b|\btried to deliver\b|\bmissed you\b/i;
/** The text goes on to say where the parcel was left. */
const WAS_LEFT = /\bdelivered\b|(?<!card )(?<!notice )\bleft (?:in|with|at)\b|collect|pick ?up|neighbou?r/i;

/** English texts of scans, as the carriers' own APIs write them. */
const RULES: TextRules = [
  [[/return/i, /sender|shipper|origin/i], GOING_BACK],
  [/return shipment|(?:sent|going|way) back/i, GOING_BACK],
  // A parcel may come through customs after all.
  [
    /(?:refused|rejected) by (?:the )?(?:[a-z]{1,20} )?(?:customs|authorit|government)|\b(?:customs|authorit(?:y|ies)|government|clearance) (?:has |have |was |were )?(?:refused|rejected)/i,
    'exception',
  ],
  [/refus(?:ed|al)|(?:rejected|declined) by|did not accept/i, REFUSED],
  [[/label|shipping information|shipment information/i, /created|printed|received|approved/i], 'info_received'],
  [
    /\bpre-?shipment\b|\b(?:shipment|shipping|order|parcel) (?:information|info|data|details) (?:has been |have been |was |were )?(?:sent|received|submitted)\b|\b(?:order|shipment) (?:has been |was |is )?created\b|\border processed: ready for\b|\bnot (?:yet )?(?:been )?handed over\b/i,
    'info_received',
  ],
  [/pre-?advi[cs]e|announced|data (?:was|were|has been|have been) (?:entered|received|transmitted)/i, 'info_received'],
  [
    /electronic (?:information|notification|shipping|data|advice)|electronically (?:announced|transmitted|submitted)/i,
    'info_received',
  ],
  [
    /instruction data|order information|(?:sender|shipper|origin post) (?:who )?(?:is )?(?:preparing|despatching)/i,
    'info_received',
  ],
  [/(?:collection|pick-?up) (?:by|from) (?:the )?(?:courier|carrier|sender|shipper)/i, 'info_received'],
  // "Picked Up by Shipping Partner, USPS Awaiting Item".
  [/\b(?:by|at|arrived|departed) (?:the )?shipping partner\b/i, 'in_transit'],
  [/not (?:yet )?(?:been )?(?:collected|picked up)/i, 'available_for_pickup'],
  [[/(?:^| )ready|available|await|waiting|held|hold/i, /collect|pick-?up|picked up/i], 'available_for_pickup'],
  [/be (?:collected|picked up)/i, 'available_for_pickup'],
  [
    /\bfinal notice\b|\breminder to (?:pick ?up|collect)|notice (?:card )?left[^.]{0,40}pick ?up/i,
    'available_for_pickup',
  ],
  [/(?<!\b(?:be|not) )\bdelivered (?:to|in|at) (?:[a-z]{1,20} ){0,3}mail ?box\b/i, 'delivered'],
  [[/arriv(?:ed|al) (?:at|in) /i, POINT], 'available_for_pickup'],
  [[LEFT_AT, POINT], 'available_for_pickup'],
  [[LEFT_AT, OFFICE], 'available_for_pickup'],
  [/damaged|\blost\b|missing|destroyed|seized|confiscated|cancell?ed|disposed/i, 'exception'],
  [
    /undeliverable|not deliverable|cannot be delivered|no such (?:address|number)|address does not exist|(?:addressee|recipient) (?:is )?unknown|addressee (?:has )?(?:gone|moved)|moved, left no|\bunclaimed\b/i,
    'undeliverable',
  ],
  [
    /unsuccessful|attempted|delivery attempt|deliver attempt|undelivered|not delivered|no answer|delivery failed|failed delivery/i,
    'exception',
  ],
  [/could(?: not|n['’]t) (?:be delivered|deliver)|unable to deliver|delivery (?:was )?not possible/i, 'exception'],
  [/delayed|possible delay|held (?:by|at|in)|on hold|retained by customs|addressing error|address error/i, 'exception'],
  [
    /(?:wrong|incorrect|incomplete|insufficient) address|\baddress (?:is |was )?(?:wrong|incorrect|incomplete|insufficient|not found|information (?:is )?(?:needed|required))\b/i,
    'exception',
  ],
  [
    /\b(?:delivery|shipment|clearance|weather|flight) (?:exception|delay)\b|\bcustoms hold\b|\bmissed delivery\b|\bheld for (?:payment|duties|customs)\b|\b(?:customs|import) (?:charges?|fees?|dut(?:y|ies)|tax(?:es)?) (?:is |are )?(?:due|payable|to be paid)\b/i,
    'exception',
  ],
  [NOBODY, 'exception', WAS_LEFT],
  [
    /(?<!\bbe )out for (?:physical )?delivery|on ?board for delivery|(?:vehicle|van|truck|loaded) for delivery|delivery (?:vehicle|van)|for delivery today/i,
    'out_for_delivery',
  ],
  [
    /with (?:the |our |a )?(?:delivery )?(?:courier|driver|postman)|\b(?:courier|driver|postman) is on (?:the|his|her|their) way\b(?! to (?:collect|pick))|way to (?:the )?(?:consignee|recipient)(?! country)/i,
    'out_for_delivery',
  ],
  [
    /(?:collected|picked up|received|accepted) by (?:the |a |your )?(?:recipient|receiver|customer|addressee|consignee|neighbou?r|household)/i,
    'delivered',
  ],
  [
    /\b(?:recipient|receiver|addressee|consignee|customer) (?:collected|picked up)\b(?! from (?:the )?(?:sender|shipper|seller))/i,
    'delivered',
  ],
  [
    /(?<!\bbe )\bhanded (?:over )?to (?:the |a )?(?:recipient|receiver|addressee|consignee|customer|resident)\b(?!['’]| (?:service|care|support|country))/i,
    'delivered',
  ],
  [
    /(?<!\b(?:until|before|after|once|when|if|for|no|not) (?:the )?)\bdelivery (?:has been |was |is )?(?:successful(?:ly completed)?|completed?)\b(?! (?:by|on|at|in)\b)/i,
    'delivered',
  ],
  [[/recipient|receiver|addressee|consignee/i, /(?:has|have) (?:collected|picked up)/i], 'delivered'],
  // The wording of the Universal Postal Union.
  [/^deliver item\b|^final delivery$/i, 'delivered'],
  [/signed (?:for|by)|left in (?:a )?safe ?place/i, 'delivered'],
  [
    /left (?:at|in|with|on|by) (?:the |a |your )?(?:front |back |side )?(?:door|porch|garage|reception|mail ?(?:box|room)|letter ?box|neighbou?r)/i,
    'delivered',
  ],
];

/**
 * The meaning of an English text about the parcel; undefined if it only says that it moves. Delivery is read narrowly:
 * an announced or denied one has not happened.
 */
export function meaningOfEnglish(written: string): Meaning | undefined {
  const text = factsOf(written);
  const meaning = returnIn(text) ?? meaningByRules(text, RULES);
  if (meaning !== undefined || NOT_DELIVERED.test(text)) return meaning;
  return /delivered/i.test(text) ? { status: 'delivered' } : undefined;
}
