import type { AccountNoticeKind, EndedState } from '../notices.ts';
import type { Headline, NextStep, ProgressStep } from '../page.ts';
import type { HandedTo, ParcelProblem } from '../tracking/scan.ts';
import type { Status, SubStatus } from '../tracking/status.ts';

/** Our own texts in one language. In braces: what is filled in. */
export type Texts = {
  /** The language in itself. */
  name: string;
  /** Dates and numbers are written as in this locale. */
  locale: string;
  status: Readonly<Record<Status, string>>;
  subStatus: Readonly<Record<SubStatus, string>>;
  problem: Readonly<Record<ParcelProblem, string>>;
  /** The texts of notices to merchants. */
  notice: Readonly<Record<AccountNoticeKind | 'quota_exhausted', string>>;
  ended: Readonly<Record<EndedState, string>>;
  page: PageTexts;
};

/** The texts of the buyer's page. */
type PageTexts = {
  headline: Readonly<Record<Headline, string>>;
  nextStep: Readonly<Record<NextStep, string>>;
  step: Readonly<Record<ProgressStep, string>>;
  /** Notes below the headline: where the expected day comes from, and others. */
  source: Readonly<Record<'carrier' | 'history', string>>;
  expected: string;
  wasExpected: string;
  pieces: string;
  /** An order of several parcels: its headline by how many are delivered, and the label of their list. */
  order: Readonly<Record<'delivered' | 'partly' | 'pending' | 'parcels', string>>;
  presumed: string;
  /** Labels. */
  carrier: string;
  handedOverTo: string;
  trackingNumber: string;
  copy: string;
  copied: string;
  /** The link to the carrier's own page. */
  trackAt: string;
  history: string;
  earlier: string;
  omitted: string;
  localTimes: string;
  questions: string;
  contact: string;
  toShop: string;
  language: string;
  /** The first scan of a parcel that its carrier has, in place of "in transit". */
  withCarrier: string;
  /** How far the parcel is, for who does not see the bar. */
  stepOf: string;
  product: string;
  orderNumber: string;
  deliveredTo: string;
  signedBy: string;
  /** `other` says nothing. */
  handedTo: Readonly<Record<Exclude<HandedTo, 'other'>, string>>;
  pickupPoint: string;
  openingHours: string;
  openMap: string;
  /** The link to the shop's own notifications. */
  notify: string;
  /** The form that finds a parcel by the number of its order, and its answers. */
  lookup: Readonly<Record<'title' | 'text' | 'postalCode' | 'submit' | 'notFound' | 'limited', string>>;
  /** Pages without a parcel. */
  gone: PageMessage;
  missing: PageMessage;
  busy: PageMessage;
  unavailable: PageMessage;
};

/** A page of a title and a text. */
type PageMessage = { title: string; text: string };
