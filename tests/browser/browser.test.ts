import { beginningStories } from './stories/beginning.ts';
import { buyersPageStories } from './stories/buyers-page.ts';
import { importStories } from './stories/imports.ts';
import { keyStories } from './stories/keys.ts';
import { listStories } from './stories/lists.ts';
import { parcelStories } from './stories/parcels.ts';
import { peopleStories } from './stories/people.ts';
import { portalStories } from './stories/portal.ts';
import { selectionStories } from './stories/selection.ts';
import { troubleStories } from './stories/trouble.ts';
import { viewStories } from './stories/views.ts';
import { repairedStories, webhookStories } from './stories/webhooks.ts';
import { type Console, startConsole } from './support/console.ts';

let started: Console;
beforeAll(async () => {
  started = await startConsole();
});
afterAll(() => started?.close());
afterEach(async () => expect(await started.closePages()).toEqual([]));

const at = () => started;
// One after another in one browser, on one installation.
describe('webhooks', () => webhookStories(at));
describe('keys', () => keyStories(at));
describe('people', () => peopleStories(at));
describe('parcels', () => parcelStories(at));
describe('the page of the buyer', () => buyersPageStories(at));
describe('lists of parcels', () => listStories(at));
describe('parcels that are selected in a list', () => selectionStories(at));
describe('imports', () => importStories(at));
describe('the beginning', () => beginningStories(at));
describe('trouble', () => troubleStories(at));
describe('webhooks, later', () => repairedStories(at));
describe('every view', () => viewStories(at));
describe('the portal', () => portalStories(at));
