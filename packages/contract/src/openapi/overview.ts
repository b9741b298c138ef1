import { ERRORS } from '@pts/core/errors';
import { EVENT_KINDS } from '@pts/core/tracking/status';

/** The introduction of the API reference; Markdown. */
export const OVERVIEW = `### Getting started

1. Send your API key with every request: \`X-API-Key: tk_…\`.
2. Register a number with \`POST /trackings/create\`. It uses one unit of the monthly quota.
3. Receive changes: \`POST /webhooks\` registers a URL for pushes (${EVENT_KINDS.map((kind) => `\`${kind}\``).join(', ')}), \`GET /events\`
   returns the same events in order, and \`GET /shipments\` lists the current state of your parcels.

### Requests and responses

URLs are ASCII: percent-encode the UTF-8 bytes of all other characters (\`status=%E6%B4%BE%E9%80%81%E4%B8%AD\`). A URL that is not
encoded, or is larger than 16 KiB together with its headers, is refused with ${ERRORS.bad_request.http}. A parameter that the operation does
not have is refused with ${ERRORS.invalid_field.number}, because a misspelled filter would give wrong data. Unknown fields of a body
are ignored, but refused where the operation would do more than was meant: in new keys, bulk actions, replays, and changes of webhooks
and of tracking pages; and in test pushes, if they look like a misspelt field. An \`id\` in the body that is not the one in the path is
refused, too.

Every response is JSON in the same envelope: \`code\`, \`meta\`, \`message\`, \`data\`. On success, \`code\` and \`meta\` are \`200\`. On an
error they contain the error number, \`message\` says what to do, and \`data.errors\` lists all invalid fields. Write your code against
\`code\`: the wording of a message may change. Responses may get new fields at any time, so ignore fields that you do not know.

In addition to the errors listed with each operation, an unknown path returns ${ERRORS.not_found.http}, and an unsupported method returns
${ERRORS.method_not_allowed.http} with \`Allow\`. No response may be kept by a cache (\`Cache-Control: no-store\`); an \`ETag\` is for your own store.

### API keys

A key has scopes: \`read\` (parcels, events, carriers, the account), \`write\` (register, change, remove and retrack parcels), \`webhooks\`
(everything under \`/webhooks\`) and \`admin\` (everything under \`/keys\`). Each operation states the one that it needs; a key without it
gets ${ERRORS.forbidden.http}. A key may also have an end and networks: after its end it gets ${ERRORS.unauthorized.http}, from elsewhere ${ERRORS.forbidden.http}. \`POST /keys\` creates a
key, with no more than the key that creates it has; give each system a key of its own, with what it needs.

### Check intervals

A new parcel is checked at once; its carrier takes 3 to 15 seconds to answer. After that, it is checked every 5 minutes if the account has
an enabled webhook and every 60 minutes otherwise, ±10 %, but never more often than the carrier's provider allows (30 minutes for
Kuaidi100). \`watch\` and \`next_check_at\` show the schedule of a tracking. A parcel that has arrived is checked one last time after 24
hours; a parcel without news for 30 days expires. While a provider is failing or its daily budget is used up, checks wait until
\`next_check_at\`. Reading a tracking does not trigger a check; \`POST /trackings/retrack\` does, once an hour.

### Limits

Each operation has a limit of requests per second for each account (\`x-rate-limit\`); operations that name the same limit share it. The
\`RateLimit-*\` headers show how many requests are left and in how many seconds the window ends (\`RateLimit-Reset\`, usually 1). After a
${ERRORS.too_many_requests.http}, wait 120 seconds (\`Retry-After\`), although the window ends sooner: waiting only for the window hits the limit
again. Installations can change these limits. Each operation states its maximum body size. JSON with more than 32 levels, more than
4,000 fields, objects and lists, or more than 12,000 values, is refused. Lines (\`application/x-ndjson\`) can hold more. To follow many parcels, do not poll \`GET /trackings/get\`: receive pushes or read \`GET /events\`.

### Repeating a request

Registering a number again returns the existing tracking and costs nothing, so a request that may have been lost can be sent again.

Any other POST can be repeated with an \`Idempotency-Key\`. The first request with it is carried out; for 24 hours, the same request (method,
address and body) gets the same status and body, with \`Idempotency-Replayed: true\`. An error leaves the
key free: the same request is carried out again, and what was refused may be allowed then. While the first one is running, and for a
different request with its key, the answer is ${ERRORS.conflict.http}. Keys belong to the account. Streams take none.`;
