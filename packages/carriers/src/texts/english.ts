import { factsOf } from './facts.ts';
import { type Entry, type Meaning, meaningByTable } from './meaning.ts';
import { returnIn } from './returns.ts';

const POINT =
  /parcel ?shop|pick ?up ?shop|paketshop|locker|packstation|(?:collection|pick[ -]?up|service|access) (?:point|location)/i;
/** A post office is such a point too, but parcels also pass through it. */
const OFFICE = /post office|retail outlet|branch/i;
const LEFT_AT = /(?:delivered|available|deposited|left|placed|stored|held) (?:to|at|in|with) /i;

/** Announcements and denials that contain the words of the rules below. */
const NOT_DELIVERED =
  /(?:not|to|be|being|before|until|awaiting|for|expected|scheduled|estimated) (?:yet |been |be |successfully )?delivered/i;

/** Nobody was there. */
const NOBODY =
  /\b(?:recipient|addressee|receiver|consignee|customer|resident)(?: is| was)? (?:not (?:available|present|(?:at )?home|in)|unavailable|absent)\b|\b(?:nobody|no ?one)(?: is| was)? (?:at )?(?:home|present|available)\b|\b(?:card|notice) left\b|\b(?:business|premises)(?: is| was| were)? closed\b|\btried to deliver\b|\bmissed you\b|\bcarded\b|\bno ?(?:one|body) (?:was |is )?in\b|\bmissed each other\b|\babsence of (?:the )?(?:addressee|recipient|receiver|consignee)\b/i;
/** The text goes on to say where the parcel was left. */
const WAS_LEFT = /(?<!\bnot )\bdelivered\b|(?<!card )(?<!notice )\bleft (?:in|with|at)\b|collect|pick ?up|neighbou?r/i;

/** English texts of scans, as the carriers' own APIs write them; the first entry that matches decides. */
// biome-ignore format: one entry per line is readable as a table
export const ENGLISH: readonly Entry[] = [
  ['returning', [/return/i, /sender|shipper|origin/i], 'Return to sender requested'],
  ['returning', /return shipment|(?:sent|going|way) back/i, 'The parcel was sent back'],
  ['in_transit', /\bawaiting (?:clearance|customs clearance|international departure)/i, 'Arrived awaiting clearance (Inbound)'],
  // A parcel may come through customs after all.
  ['in_transit', /\bpick[ -]?up (?:was )?(?:attempted|failed|unsuccessful|cancell?ed)|\battempted (?:a )?pick[ -]?up\b/i, 'Pickup attempted - business closed'],
  ['customs', /(?:refused|rejected) by (?:the )?(?:[a-z]{1,20} )?(?:customs|authorit|government)|\b(?:customs|authorit(?:y|ies)|government|clearance) (?:has |have |was |were )?(?:refused|rejected)/i, 'Customs refused the shipment'],
  ['refused', /refus(?:ed|al)|(?:rejected|declined) (?:by|the (?:parcel|package|delivery|shipment|item))|delivery[ -]{1,3}rejected|did not accept/i, 'The recipient refused the parcel'],
  ['info_received', [/label|shipping information|shipment information/i, /created|printed|received|approved/i], 'Shipping label created, USPS awaiting item'],
  ['info_received', /\breceived (?:your|the) (?:parcel|shipment|shipping|order|package|item) (?:information|info|data|details)\b|\bnot (?:yet )?(?:been )?received by (?:the )?(?:carrier|courier)\b|\bpre-?shipment\b|\b(?:shipment|shipping|order|parcel) (?:infor?mation|info|data|details) (?:has been |have been |was |were )?(?:sent|received|submitted)\b|\b(?:order|shipment) (?:has been |was |is )?created\b|\border processed: ready for\b|\bnot (?:yet )?(?:been )?handed over\b|\byet to receive\b|\bpreparing (?:an |the |your )?(?:item|parcel|package|shipment|order)|\bnot (?:yet )?(?:been )?(?:received or processed|received(?! (?:at|in|by (?:the )?(?:recipient|consignee|customer)))|dispatched)|\b(?:order|parcel|shipment|package) (?:details|data) (?:received|registered|was sent|transmitted)|\bregistered parcel data/i, 'Shipment information sent to FedEx'],
  ['info_received', /confirmation of preparation|pre-?advi[cs]e|announced|data (?:was|were|has been|have been) (?:entered|received|transmitted)|\b(?:item|shipment|parcel|consignment) data received|accepted the data/i, 'Parcel data was entered into the system'],
  ['info_received', /electronic (?:information|notification|shipping|data|advice)|electronically (?:announced|transmitted|submitted)/i, 'Electronic notification received'],
  ['info_received', /\bitem (?:details|advised)\b|instruction data|order information|(?:sender|shipper|origin post) (?:who )?(?:is )?(?:preparing|despatching)/i, 'Item advised'],
  ['info_received', /(?:collection|pick[ -]?up) (?:by|from) (?:the )?(?:courier|carrier|sender|shipper)/i, 'Awaiting collection by courier'],
  ['info_received', /\bout for (?:collection|pick[ -]?up)\b|\b(?:collection|pick[ -]?up) (?:is |was |has been )?(?:assigned|requested|scheduled|booked)\b|\bcollection (?:attempt )?(?:failed|unsuccessful)\b/i, 'Out for pickup'],
  ['info_received', /\b(?:way-?bill|manifest|parcel|consignment)(?: data)? (?:has been |was |is )?(?:created|generated|issued)\b|\bmanifest data\b|\btracking (?:number|code|id) (?:has been |was |is )?(?:allocated|assigned|issued|generated|created)\b|\bsender has (?:let us know|told us|informed us|notified us)\b|\bin preparation\b(?! for)|^submitted$|^order (?:has been |was |is )?(?:received|placed|confirmed|submitted)$|^on (?:its|the) way to ontrac$/i, 'Waybill generated'],
  // A message to the recipient changes nothing.
  ['info_received', /^(?:an? )?(?:sms|text message|e-?mail)(?: notification| message)? (?:has been |was )?sent to (?:the |your )?(?:recipient|receiver|addressee|consignee|customer)\.?$/i, 'A text message was sent to the recipient.'],
  // "Picked Up by Shipping Partner, USPS Awaiting Item".
  ['in_transit', /\b(?:by|at|arrived|departed) (?:the )?shipping partner\b/i, 'Picked up by shipping partner, USPS awaiting item'],
  ['available_for_pickup', /not (?:yet )?(?:been )?(?:collected|picked up)/i, 'The parcel has not been collected'],
  ['delivered', /(?<!\b(?:be|not) )(?:picked[ -]up|collected) (?:at|from) [^.]{0,50}by (?:the )?(?:recipient|receiver|customer|addressee|consignee)|\b(?:has been|was) (?:picked up|collected) from (?:the |a |our )?(?:[a-z]{1,12} ){0,2}(?:pick[ -]?up (?:point|shop)|locker|parcel ?shop|counter|post office|access point)\b(?! by (?:the )?(?:courier|driver|carrier))/i, 'Your parcel has been picked up from the pickup point'],
  ['available_for_pickup', [/(?:^|\s)ready|available|await|waiting|held|hold/i, /collect|pick[ -]?up|picked up/i], 'Available for pickup'],
  ['available_for_pickup', /be (?:collected|picked up)/i, 'The parcel can be collected'],
  ['available_for_pickup', /\bfinal notice\b|\breminder to (?:pick ?up|collect)|notice (?:card )?left[^.]{0,40}pick ?up|\bhold (?:at )?location|\bat (?:the |a )?(?:pick[ -]?up (?:point|place|shop)|collection point)\b/i, 'Final notice'],
  ['delivered', /(?<!\b(?:be|not) )\bdelivered (?:to|in|at) (?:[a-z]{1,20} ){0,3}mail ?box\b/i, 'Delivered to the mailbox'],
  ['in_transit', [/\bwill be (?:delivered|brought|taken)/i, POINT], 'The parcel will be delivered to a parcel locker'],
  ['available_for_pickup', [/arriv(?:ed|al) (?:at|in) /i, POINT], 'Arrived at the parcel shop'],
  ['available_for_pickup', [LEFT_AT, POINT], 'Left at an access point'],
  ['available_for_pickup', [LEFT_AT, OFFICE], 'Held at the post office'],
  ['customs', /\bcustoms (?:problem|issue)|\bclearance (?:declaration )?(?:failure|failed|problem)/i, 'Customs problem, documents missing'],
  ['damaged', /\bdamaged?\b(?! (?:claim|report))|broken (?:in|during)|destroyed|disposed/i, 'The package was damaged'],
  ['lost', /(?:cannot|could not|can[’']t) be (?:located|found)|\blost\b|missing/i, 'Parcel lost'],
  ['customs', /seized|confiscated/i, 'Seized by customs'],
  ['cancelled', /cancell?ed/i, 'The shipment was cancelled'],
  [{ status: 'undeliverable', problem: 'address' }, /no such (?:address|number)|address does not exist|(?:addressee|recipient) (?:is )?unknown|(?:addressee|recipient|customer) (?:has )?(?:gone|moved|relocated)|moved, left no/i, 'Addressee unknown', /\bforwarded to\b/i],
  ['undeliverable', /undeliverable|not deliverable|cannot be delivered|\bunclaimed\b/i, 'Undeliverable as addressed'],
  ['payment', /\b(?:held|hold)\b[^.]{0,40}\bpayment\b|\bawaiting payment\b/i, 'Shipment held - available upon receipt of payment'],
  ['in_transit', /(?:delivery attempt|attempted delivery)[^.]{0,12} (?:scheduled|planned|tomorrow|on the next|to follow)|\b(?:new|another) delivery attempt (?:will|on|is|to)\b/i, 'New delivery attempt on the next delivery day', /payment|missed|absen/i],
  ['recipient_unavailable', NOBODY, 'Delivery attempted: nobody home', WAS_LEFT],
  ['address', /addressing error|address error|(?:wrong|incorrect|incomplete|insufficient|bad|invalid) address|\baddress (?:is |was )?(?:wrong|incorrect|incomplete|insufficient|not found|information (?:is )?(?:needed|required))\b|address (?:is )?(?:inaccessible|unreachable)|(?:cannot|can['’]t|could not|unable to) (?:find|locate) (?:the |your )?address|(?:updated|correct|complete|more) (?:delivery )?address[^.]{0,20}(?:required|needed)|(?:recipient|addressee|customer) (?:does not|doesn['’]t|not) (?:live|reside)|\bno such (?:street|house)\b|(?:unknown|incomplete)[^.]{0,20}(?:consignee|addressee|recipient)|\b(?:street|house|apartment|unit|postal|zip|company|receiver|recipient|consignee) (?:name|number|code) (?:is |was )?(?:incorrect|wrong|missing|invalid|incomplete)\b/i, 'Incorrect address'],
  ['failed_attempt', /unsuccessful|attempted|delivery attempt|deliver attempt|undelivered|not delivered|\bschedule (?:a )?redelivery|\bno access\b|does(?: not|n['’]t) fit|(?:will|['’]ll) try (?:delivery )?again|no answer|delivery failed|failed delivery/i, 'Delivery attempted'],
  ['failed_attempt', /\b(?:will not|won['’]t) be delivered|unable to (?:complete|make) (?:your |the |this )?delivery|could(?: not|n['’]t) (?:be delivered|deliver)|unable to deliver|delivery (?:was )?not possible/i, 'Unable to deliver'],
  ['weather', /\b(?:weather|storm|snow|hurricane|flood)\w{0,3}[^.]{0,40}(?:delay|exception|condition|emergency|slow)|delay[^.]{0,40}\b(?:weather|storm|snow|natural disaster)/i, 'Delayed due to weather'],
  ['customs', /(?:await|wait|need|requir|missing|request)\w{0,5}[^.]{0,20}customs (?:document|paper|information|declaration)|customs[^.]{0,20}(?:document|information|invoice)\w{0,2} (?:is |are )?(?:missing|required|needed)|retained by customs|held (?:by|at|in|for) (?:the )?customs|clearance delay|\bcustoms (?:hold|delay|issue)\b/i, 'Held by customs'],
  ['payment', /\bheld for (?:payment|duties)\b|\b(?:customs|import) (?:charges?|fees?|dut(?:y|ies)|tax(?:es)?) (?:is |are )?(?:due|payable|to be paid)\b/i, 'Customs charges due'],
  ['delayed', /delayed|possible delay|running late|behind schedule|(?<!\b(?:no|without|any) )\bdelays?\b(?! (?:report|notification))|\b(?:delivery|shipment|flight) delay\b|\b(?:delivery|shipment) (?:was |has been |is )?postponed/i, 'The shipment is delayed'],
  ['held', /held (?:by|at|in)|on hold|\b(?:shipment|parcel|package|item) (?:is |was |has been )?held\b/i, 'Shipment on hold'],
  ['failed_attempt', /\bmissed delivery\b/i, 'Missed delivery'],
  ['exception', /\b(?:delivery|shipment|clearance|flight) exception\b|\bsorting (?:has |was )?(?:failed|unsuccessful)\b|\bdelivery restriction\b|\b(?:sorted|sent|routed) to (?:the |an? )?(?:incorrect|wrong)\b|\bmis-?(?:sort|rout)(?:ed|e)\b/i, 'Shipment exception'],
  ['out_for_delivery', /(?<!\bbe )out for (?:physical )?delivery|awaiting delivery scan|delivery status not updated|delivery round[^.]{0,20}(?:started|begun)|on ?board for delivery|(?:vehicle|van|truck|loaded) for delivery|delivery (?:vehicle|van)|for delivery today/i, 'Out for delivery'],
  ['out_for_delivery', /with (?:the |our |a )?(?:delivery )?(?:courier|driver|postman)|\b(?:courier|driver|postman) is on (?:the|his|her|their) way\b(?! to (?:collect|pick))|way to (?:the )?(?:consignee|recipient|delivery address)(?! country)|\breach the customer['’]s door|\b(?:driver|courier) (?:is )?en route\b(?! to [^.]{0,30}(?:outlet|shop|point|locker))|\bis being delivered\b|^(?:for|in) delivery$|\bdelivery (?:of (?:the |your )?[a-z]{1,20}(?: item)? )?(?:is )?in progress\b/i, 'With the delivery courier'],
  ['delivered', /(?:collected|picked up|received|accepted) by (?:the |a |your )?(?:recipient|receiver|customer|addressee|consignee|neighbou?r|household)/i, 'Collected by the recipient'],
  ['delivered', /\b(?:recipient|receiver|addressee|consignee|customer) (?:collected|picked up)\b(?! from (?:the )?(?:sender|shipper|seller))/i, 'The customer picked up the parcel'],
  ['delivered', /(?<!\bbe )\bhanded (?:over )?to (?:the |a |your )?(?:recipient|receiver|addressee|consignee|customer|resident|neighbou?r|receptionist)\b(?!['’]| (?:service|care|support|country))/i, 'Handed to resident'],
  ['delivered', /(?<!\b(?:until|before|after|once|when|if|for|no|not) (?:the )?)\bdelivery (?:has been |was |is )?(?:successful(?:ly completed)?|completed?)\b(?! (?:by|on|at|in)\b)/i, 'Delivery successful'],
  ['delivered', [/recipient|receiver|addressee|consignee/i, /(?:has|have) (?:collected|picked up)/i], 'The recipient has picked up the shipment'],
  ['delivered', /(?<!\b(?:be|not|being|is|are) )\bcollected (?:at|from|in) (?:the |a |our )?(?:[a-z]{1,12} ){0,2}(?:counter|locker|post office|parcel ?shop|(?:pick[ -]?up|service|collection) point)\b/i, 'Collected at the post office'],
  ['in_transit', /\bdelivered to (?:the )?(?:destination|foreign) (?:post|country)\b/i, 'Delivered to destination post'],
  // The wording of the Universal Postal Union.
  ['delivered', /^deliver item\b|^final delivery$/i, 'Final delivery'],
  ['delivered', /\bconfirmation of receipt\b|signed (?:for|by)|left in (?:a )?safe ?place|\b(?:posted|put) (?:in|through) (?:the |your )?(?:letter|mail) ?box/i, 'Signed for by the neighbour'],
  ['delivered', /left (?:at|in|with|on|by) (?:the |a |your )?(?:front |back |side )?(?:door|porch|garage|reception|mail ?(?:box|room)|letter ?box|neighbou?r)/i, 'Left with a neighbour'],
  ['delivered', /delivered/i, 'Delivered', NOT_DELIVERED],
  // Coarse codes may say more than that it moves.
  ['in_transit', /^in transit\b/i, 'In Transit'],
];

/**
 * The meaning of an English text about the parcel; undefined if it only says that it moves. Delivery is read narrowly:
 * an announced or denied one has not happened.
 */
export function meaningOfEnglish(written: string): Meaning | undefined {
  const text = factsOf(written);
  return returnIn(text) ?? meaningByTable(text, ENGLISH);
}
