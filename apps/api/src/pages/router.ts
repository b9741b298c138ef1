import { createHash } from 'node:crypto';
import { type Language, TEXTS } from '@pts/core/languages/texts';
import { clientNetwork } from '@pts/core/networks';
import { isGone } from '@pts/core/page';
import {
  findLogo,
  findLookupLogo,
  findLookupShop,
  findPage,
  findPagesByOrder,
  findPagesOfOrder,
  type LookupShop,
  type PageRecord,
} from '@pts/db/pages';
import type { Logger } from '@pts/runtime/logger';
import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import type { ApiDeps } from '../deps.ts';
import { createBaseUrlFinder, guideAddress, helpAddress, helpLink } from '../http/addresses.ts';
import { isUnchanged, languageOf, V1 } from '../http/answers.ts';
import { askForBody, readBytes, refuseDeclared } from '../http/body.ts';
import { toApiError } from '../http/errors.ts';
import type { Limiter } from '../http/limits/limits.ts';
import {
  type Brand,
  type Document,
  type Entries,
  type ErrorPageName,
  errorPage,
  type Framing,
  type LookupForm,
  lookupPage,
  NO_BRAND,
  parcelPage,
  UNFRAMED,
} from './html.ts';
import { type PageView, pageJson, viewPage } from './view.ts';

type Deps = Pick<ApiDeps, 'db' | 'providers' | 'pageTokens' | 'now'> & {
  limiter: Pick<Limiter, 'take' | 'takeLookup'>;
  logger: Logger;
  /** Where the portal is; by default as the reader has reached the API. */
  publicBaseUrl: string | undefined;
};

const STATUSES = {
  missing: 404,
  gone: 410,
  busy: 429,
  unavailable: 503,
  notFound: 404,
  limited: 429,
} as const satisfies Record<ErrorPageName | NonNullable<LookupForm['fault']>, number>;
const RETRY_SECONDS: Partial<Record<ErrorPageName, number>> = { busy: 120, unavailable: 5 };
/** For readers of other languages. */
const FALLBACK: Language = 'en';
/** A form with its two longest entries, each character encoded. */
const FORM = { maxBytes: 4096, timeoutMs: 10_000 };

/**
 * GET /t/{token}: the page for the buyer of a parcel, as HTML or JSON; `/embed` for a frame in the shop, and `/logo`.
 * It needs no key, sets no cookie, writes nothing and asks no carrier. A link that leads nowhere has the same answer
 * whatever the reason; where the shop allows it, that of a former link and of an expired page has a form that finds
 * parcels by their order. The token of such a shop leads to the form itself, which is posted there.
 * @param gates run first; what they throw is answered with a page, too.
 */
export function pagesRouter(deps: Deps, gates: readonly RequestHandler[]): Router {
  const router = Router({ caseSensitive: true });
  const findBaseUrl = createBaseUrlFinder(deps.publicBaseUrl);
  router.use((request, response, next) => {
    response.locals.baseUrl = findBaseUrl(request);
    next();
  });
  router.use(privateLink);
  router.use('/:token/embed', framed);
  router.use(...gates, limitNetwork(deps));
  router.get('/:name', async (request, response) => {
    const token = request.params.name.replace(/\.json$/, '');
    const record = await find(deps, token);
    if (record === null) {
      const shop = await findShop(deps, token);
      return sendForm(request, response, deps, shop, shop?.isOwnLink ? {} : { fault: 'missing' });
    }
    const view = await viewOf(record, deps, pageLanguage(request));
    if (view === null && record.allowLookup && !wantsJson(request))
      return sendForm(request, response, deps, record, { fault: 'gone' });
    if (view === null) return sendGone(request, response, record, UNFRAMED);
    if (wantsJson(request)) return sendJson(request, response, V1.success(pageJson(view, token)));
    sendPage(request, response, parcelPage(view, { brand: brandOf(record, token), ...UNFRAMED }));
  });
  router.post('/:token', async (request, response) => {
    const shop = await findShop(deps, request.params.token);
    if (shop === null || !shop.isOwnLink) return sendNotice(request, response, 'missing');
    refuseDeclared(request, FORM.maxBytes);
    askForBody(request, response);
    const form = new URLSearchParams((await readBytes(request, { ...FORM, take: () => {} })).toString());
    const entries = { order_id: form.get('order_id') ?? '', postal_code: form.get('postal_code') ?? '' };
    const found = await lookUp(deps, shop, entries, clientNetwork(request.ip ?? ''));
    if (typeof found === 'string') return sendForm(request, response, deps, shop, { entries, fault: found });
    // Relative, as the path may be another one outside.
    response
      .status(303)
      .set('Location', `${found.token}?lang=${pageLanguage(request)}`)
      .end();
  });
  router.get('/:token/embed', async (request, response) => {
    const { token } = request.params;
    const record = await find(deps, token);
    const frameAncestors = record?.embedOrigins ?? [];
    if (record === null || frameAncestors.length === 0) return sendNotice(request, response, 'missing');
    const framing = { isEmbedded: true, frameAncestors };
    const view = await viewOf(record, deps, pageLanguage(request));
    if (view === null) return sendGone(request, response, record, framing);
    sendPage(request, response, parcelPage(view, { brand: brandOf(record, token), ...framing }));
  });
  router.get('/:token/logo', async (request, response) => {
    const { token } = request.params;
    const [page, accountId] = [deps.pageTokens.open(token), deps.pageTokens.openShop(token)];
    const logo = page ? await findLogo(deps.db, page) : accountId && (await findLookupLogo(deps.db, accountId));
    if (!logo) return sendNotice(request, response, 'missing');
    const tag = tagOf(logo);
    response.set({ 'Content-Type': 'image/png', 'Cache-Control': 'private, max-age=86400', ETag: tag });
    if (isUnchanged(request, tag)) return void response.status(304).end();
    response.end(logo);
  });
  router.use((request, response) => sendNotice(request, response, 'missing'));
  router.use(respondFault(deps.logger));
  return router;
}

/** The path of a page is a secret: it is not passed on, and no search engine keeps it. */
const privateLink: RequestHandler = (_request, response, next) => {
  response.vary('Accept, Accept-Language');
  response.set({
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex, nofollow',
    'X-Frame-Options': 'DENY',
  });
  next();
};

/** Lets anyone frame what a frame of the shop shows in place of a page: it says nothing of anybody. */
const framed: RequestHandler = (_request, response, next) => {
  response.removeHeader('X-Frame-Options');
  response.locals.noticeFraming = { isEmbedded: true, frameAncestors: ['*'] } satisfies Framing;
  next();
};

function limitNetwork({ limiter }: Deps): RequestHandler {
  return async (request, response, next) => {
    const usage = await limiter.take('pages', clientNetwork(request.ip ?? ''));
    if (usage !== null && !usage.allowed) return sendNotice(request, response, 'busy');
    next();
  };
}

/** The record of a page; null for a link that leads nowhere. */
async function find({ db, pageTokens }: Deps, token: string): Promise<PageRecord | null> {
  const page = pageTokens.open(token);
  return page && findPage(db, page);
}

/** A shop that allows look-ups; `isOwnLink`: the link is that of its form, not a former one of a parcel. */
type Found = LookupShop & { isOwnLink: boolean };

/** The shop that allows look-ups of a link that leads to no page; null if there is none. */
async function findShop({ db, pageTokens }: Deps, token: string): Promise<Found | null> {
  const [page, accountId] = [pageTokens.open(token), pageTokens.openShop(token)];
  if (page === null && accountId === null) return null;
  const shop = await findLookupShop(db, accountId === null ? { trackingId: page?.trackingId ?? '' } : { accountId });
  return shop && { ...shop, isOwnLink: accountId !== null };
}

/** Letters and digits, however they are written. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase();
}

/** The page of a parcel by its order and its postal code. Each attempt counts, so that neither can be guessed. */
async function lookUp(
  { db, limiter, pageTokens, now }: Deps,
  { accountId }: LookupShop,
  { order_id, postal_code }: Entries,
  network: string,
): Promise<{ token: string } | 'notFound' | 'limited'> {
  const [order, postalCode] = [order_id.normalize('NFKC').trim(), plain(postal_code)];
  if (order === '' || postalCode === '') return 'notFound';
  if (!(await limiter.takeLookup(network, tagOf(`${accountId}\n${plain(order)}`)))) return 'limited';
  // Shops print a number sign before their order numbers, and store them with or without it.
  const bare = order.replace(/^#/, '');
  const orderIds = [...new Set([order, bare, `#${bare}`, bare.toUpperCase()])];
  const pages = await findPagesByOrder(db, { accountId, orderIds, postalCode });
  const page = pages.find((each) => !isGone(each, each.goneAfterDays, now()));
  return page ? { token: pageTokens.seal({ trackingId: page.id, generation: page.generation }) } : 'notFound';
}

/**
 * The form that finds parcels, or without a shop that allows it the notice that the link leads nowhere.
 * @param more the entries that were posted, and their fault.
 */
function sendForm(
  request: Request,
  response: Response,
  { pageTokens }: Deps,
  shop: LookupShop | null,
  more: Pick<LookupForm, 'entries' | 'fault'>,
): void {
  if (shop === null || wantsJson(request)) {
    sendNotice(request, response, more.fault === 'limited' ? 'busy' : 'missing');
    return;
  }
  const language = pageLanguage(request);
  const token = pageTokens.sealShop(shop.accountId);
  const action = `${token}?lang=${language}`;
  const page = lookupPage({ language, brand: brandOf(shop, token), action, supportUrl: shop.supportUrl, ...more });
  response.status(more.fault === undefined ? 200 : STATUSES[more.fault]);
  if (more.fault === 'limited') response.set('Retry-After', '3600');
  asHtml(response, page).end(page.body);
}

/**
 * The view of a page; null for one that has expired. Of an order with several parcels, it shows all that have not: once
 * its own has, another one in its place.
 */
async function viewOf(record: PageRecord, deps: Deps, language: Language): Promise<PageView | null> {
  const now = deps.now();
  const all = await findPagesOfOrder(deps.db, record);
  const shown = all.filter((each) => !isGone(each, each.goneAfterDays, now));
  const own = shown.find(({ id }) => id === record.id) ?? shown[0];
  return own === undefined ? null : viewPage(own, deps, language, now, shown);
}

function sendGone(request: Request, response: Response, { shopName, shopUrl }: PageRecord, framing: Framing): void {
  sendNotice(request, response, 'gone', { ...NO_BRAND, name: nameOf(shopName), url: shopUrl }, framing);
}

/** A blank name is none. */
function nameOf(shopName: string | null): string | null {
  return shopName?.trim() || null;
}

function brandOf(
  { shopName, shopUrl, color, logoWidth, logoHeight }: Omit<LookupShop, 'accountId'>,
  token: string,
): Brand {
  const isDrawn = logoWidth !== null && logoHeight !== null;
  const logo = isDrawn ? { url: `${token}/logo`, width: logoWidth, height: logoHeight } : null;
  return { name: nameOf(shopName), url: shopUrl, color, logo };
}

function pageLanguage(request: Request): Language {
  return languageOf(request) ?? FALLBACK;
}

function wantsJson(request: Request): boolean {
  return request.path.endsWith('.json') || request.accepts(['html', 'json']) === 'json';
}

/** A response with the headers of a document: its type, and what may run and load in it. */
function asHtml(response: Response, { csp }: Document): Response {
  return response.set({ 'Content-Security-Policy': csp, 'Content-Type': 'text/html; charset=utf-8' });
}

function sendPage(request: Request, response: Response, page: Document): void {
  sendTagged(request, asHtml(response, page), page.body);
}

function sendJson(request: Request, response: Response, body: object): void {
  response.set('Content-Type', 'application/json; charset=utf-8');
  sendTagged(request, response, JSON.stringify(body));
}

/** Readers keep the page, and ask each time whether it has changed. */
function sendTagged(request: Request, response: Response, body: string): void {
  const tag = tagOf(body);
  response.set({ 'Cache-Control': 'private, no-cache', ETag: tag });
  if (isUnchanged(request, tag)) return void response.status(304).end();
  response.end(body);
}

function sendNotice(
  request: Request,
  response: Response,
  name: ErrorPageName,
  brand: Brand = NO_BRAND,
  framing: Framing = response.locals.noticeFraming ?? UNFRAMED,
): void {
  const language = pageLanguage(request);
  const seconds = RETRY_SECONDS[name];
  if (seconds !== undefined) response.set('Retry-After', String(seconds));
  const status = STATUSES[name];
  response.status(status);
  const docs_url = helpFor(name, response.locals.baseUrl as string | null);
  response.set('Link', helpLink(docs_url));
  if (wantsJson(request))
    return void response.json(V1.error(status, TEXTS[language].page[name].text, [], { docs_url }));
  const page = errorPage(name, language, brand, framing);
  asHtml(response, page).end(page.body);
}

/** An ended page is no error of the API: the guide has it. */
function helpFor(name: ErrorPageName, baseUrl: string | null): string {
  return name === 'gone' ? guideAddress(baseUrl, 'tracking-page') : helpAddress(baseUrl, STATUSES[name]);
}

/** A fault of ours is logged, without the address. */
function respondFault(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const { error: name } = toApiError(error);
    if (name === 'bad_request') return sendNotice(request, response, 'missing');
    if (name !== 'unavailable')
      logger.error({ err: error, requestId: response.locals.requestId }, 'a page could not be shown');
    sendNotice(request, response, 'unavailable');
  };
}

function tagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}
