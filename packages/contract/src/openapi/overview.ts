import { ERRORS } from '@pts/core/errors';
import { EVENT_KINDS } from '@pts/core/tracking/emit';

/** What a merchant's developer should know before the first request; Markdown. */
export const OVERVIEW = `### Begin

1. Send your API key with every request: \`X-API-Key: tk_…\`.
2. \`POST /trackings/create\` registers a number and takes one unit of the monthly quota.
3. \`POST /webhooks\` has every change pushed to you (${EVENT_KINDS.map((kind) => `\`${kind}\``).join(', ')}), or \`GET /events\` reads
   them in order, or \`GET /shipments\` lists how your parcels stand.

### Answers

Addresses are ASCII: percent-encode the UTF-8 bytes of anything else (\`status=%E6%B4%BE%E9%80%81%E4%B8%AD\`). One of more than 16 KiB
together with its headers is refused with ${ERRORS.bad_request.http}, and so is one that is not encoded, in the envelope like every error.

Every answer is JSON in one envelope: \`code\`, \`meta\`, \`message\`, \`data\`. Success is \`200\` in \`code\` and \`meta\`. An error has its
number there, what to do in \`message\`, and in \`data.errors\` the fields at fault, all at once. Program against \`code\`: the wording of a
message may change. Fields may be added to an answer at any time, so pass over those you do not know.

Beside what each operation lists, a path that is not here answers ${ERRORS.not_found.http}, and another method on one that is here
${ERRORS.method_not_allowed.http} with \`Allow\`.

### How fresh it is

A new parcel is asked about at once, and its carrier takes 3 to 15 seconds. From then on it is asked every 5 minutes while the account has an
enabled webhook, and every 60 minutes otherwise, 10 % more or less; never more often than the provider behind the carrier allows (30
minutes for Kuaidi100). \`watch\` and \`next_check_at\` of a tracking say what holds for it. A parcel that has arrived is checked once more
after 24 hours; one without news for 30 days expires. While a provider is in trouble or its daily budget is used up, its checks wait,
and \`next_check_at\` says until when. Reading a tracking more often does not have its carrier asked more often;
\`POST /trackings/retrack\` does, once an hour.

### Limits

Each operation takes some requests a second from an account; \`x-rate-limit\` says how many, and operations that name the same limit share
it. The \`RateLimit-*\` headers say what is left, and in how many seconds the window ends (\`RateLimit-Reset\`, mostly 1). After a
${ERRORS.too_many_requests.http}, wait as long as \`Retry-After\` says, 120 seconds, although the window ends sooner: a client that only waits
for the window meets the limit again at once.
An installation may have other limits than these. How large a body may be, each operation says; JSON of more than 32 levels, or of
more than 10,000 fields, objects and lists, is refused. Do not loop over \`GET /trackings/get\` to follow many parcels: have changes pushed, or
read \`GET /events\`.

### Repeating a request

Registering a number again answers the tracking that is there and costs nothing, so a request that may have been lost can be sent again.`;
