import { Route, Router, Switch, useLocation } from 'wouter';
import { Frame } from './frame/frame.tsx';
import { useText } from './i18n/language.ts';
import { SignedIn } from './session/client.tsx';
import { CONSOLE_PATH } from './session/connection.ts';
import { session } from './session/session.ts';
import { useStore } from './session/store.ts';
import { AllowedView } from './ui/may.tsx';
import { PageHead } from './ui/page.tsx';
import { Boundary, createPart, InPart } from './ui/part.tsx';
import { EmptyState } from './ui/states.tsx';
import { ToastList } from './ui/toast.tsx';
import { SignIn } from './views/sign-in/sign-in.tsx';

const overview = createPart(() => import('./views/overview/overview.tsx'));
const parcels = createPart(() => import('./views/parcels.ts'));
const endpoints = createPart(() => import('./views/endpoints.ts'));
const files = createPart(() => import('./views/files.ts'));
const keys = createPart(() => import('./views/keys/keys.tsx'));
const people = createPart(() => import('./views/people/people.tsx'));
const settings = createPart(() => import('./views/settings/settings.tsx'));
const PARTS = [overview, parcels, endpoints, files, keys, people, settings];

/** The whole console. Without a session, every address shows the sign-in page, and its own view after the sign-in. */
export function App() {
  const { apiKey } = useStore(session);
  return (
    <Router base={CONSOLE_PATH}>
      {apiKey === null ? (
        <SignIn />
      ) : (
        <SignedIn key={apiKey} apiKey={apiKey}>
          <Frame parts={PARTS}>
            <Views />
          </Frame>
        </SignedIn>
      )}
      <ToastList />
    </Router>
  );
}

/** Each address has a view of its own: one that cannot be shown leaves the others alone. */
function Views() {
  const t = useText();
  const [path] = useLocation();
  return (
    <Boundary key={path}>
      <Switch>
        <Route path="/">
          <InPart part={overview}>{({ Overview }) => <Overview />}</InPart>
        </Route>
        <Route path="/shipments">
          <InPart part={parcels}>{({ Shipments }) => <Shipments />}</InPart>
        </Route>
        <Route path="/shipments/add">
          <AllowedView needs="write" title={t.add.title}>
            <InPart part={parcels}>{({ Add }) => <Add />}</InPart>
          </AllowedView>
        </Route>
        <Route path="/shipments/:id">
          {({ id }) => <InPart part={parcels}>{({ ShipmentPage }) => <ShipmentPage id={id} />}</InPart>}
        </Route>
        <Route path="/webhooks">
          <AllowedView needs="webhooks" title={t.nav.webhooks}>
            <InPart part={endpoints}>{({ Webhooks }) => <Webhooks />}</InPart>
          </AllowedView>
        </Route>
        <Route path="/webhooks/:id">
          {({ id }) => (
            <AllowedView needs="webhooks" title={t.nav.webhooks}>
              <InPart part={endpoints}>{({ Endpoint }) => <Endpoint id={id} />}</InPart>
            </AllowedView>
          )}
        </Route>
        <Route path="/imports">
          <InPart part={files}>{({ Imports }) => <Imports />}</InPart>
        </Route>
        <Route path="/imports/:id">
          {({ id }) => <InPart part={files}>{({ ImportPage }) => <ImportPage id={id} />}</InPart>}
        </Route>
        <Route path="/keys">
          <AllowedView needs="admin" title={t.nav.keys}>
            <InPart part={keys}>{({ Keys }) => <Keys />}</InPart>
          </AllowedView>
        </Route>
        <Route path="/people">
          <AllowedView needs="admin" title={t.nav.people}>
            <InPart part={people}>{({ People }) => <People />}</InPart>
          </AllowedView>
        </Route>
        <Route path="/settings">
          <InPart part={settings}>{({ Settings }) => <Settings />}</InPart>
        </Route>
        <Route>
          <NoSuchPage />
        </Route>
      </Switch>
    </Boundary>
  );
}

function NoSuchPage() {
  const t = useText();
  return (
    <>
      <PageHead title={t.noPage.title} />
      <EmptyState title={t.noPage.what} action={{ href: '/', label: t.noPage.back }} />
    </>
  );
}
