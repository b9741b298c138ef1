import { lazy, Suspense } from 'react';
import { Route, Router, Switch } from 'wouter';
import { Frame } from './frame/frame.tsx';
import { useText } from './i18n/language.ts';
import { SignedIn } from './session/client.tsx';
import { CONSOLE_PATH } from './session/service-url.ts';
import { session } from './session/session.ts';
import { useStore } from './session/store.ts';
import { Boundary } from './ui/boundary.tsx';
import { PageHead } from './ui/page.tsx';
import { Skeleton } from './ui/skeleton.tsx';
import { EmptyState } from './ui/states.tsx';
import { ToastList } from './ui/toast.tsx';
import { SignIn } from './views/sign-in/sign-in.tsx';

const overview = () => import('./views/overview/overview.tsx');
const parcels = () => import('./views/parcels.ts');
const endpoints = () => import('./views/endpoints.ts');
const files = () => import('./views/files.ts');
const keys = () => import('./views/keys.ts');
const PARTS = [overview, parcels, endpoints, files, keys];

const Overview = lazy(async () => ({ default: (await overview()).Overview }));
const Shipments = lazy(async () => ({ default: (await parcels()).Shipments }));
const Add = lazy(async () => ({ default: (await parcels()).Add }));
const ShipmentPage = lazy(async () => ({ default: (await parcels()).ShipmentPage }));
const Webhooks = lazy(async () => ({ default: (await endpoints()).Webhooks }));
const Endpoint = lazy(async () => ({ default: (await endpoints()).Endpoint }));
const Imports = lazy(async () => ({ default: (await files()).Imports }));
const ImportPage = lazy(async () => ({ default: (await files()).ImportPage }));
const Keys = lazy(async () => ({ default: (await keys()).Keys }));

/** The whole console. Without a session, every address shows the sign-in page, and its own view after the sign-in. */
export function App() {
  const { apiKey } = useStore(session);
  return (
    <Router base={CONSOLE_PATH}>
      {apiKey === null ? (
        <SignIn />
      ) : (
        <SignedIn key={apiKey} apiKey={apiKey}>
          <Frame prefetch={PARTS}>
            <Views />
          </Frame>
        </SignedIn>
      )}
      <ToastList />
    </Router>
  );
}

function Views() {
  const t = useText();
  return (
    <Boundary>
      <Suspense fallback={<Skeleton label={t.shipments.loading} />}>
        <Switch>
          <Route path="/">
            <Overview />
          </Route>
          <Route path="/shipments">
            <Shipments />
          </Route>
          <Route path="/shipments/add">
            <Add />
          </Route>
          <Route path="/shipments/:id">{({ id }) => <ShipmentPage key={id} id={id} />}</Route>
          <Route path="/webhooks">
            <Webhooks />
          </Route>
          <Route path="/webhooks/:id">{({ id }) => <Endpoint key={id} id={id} />}</Route>
          <Route path="/imports">
            <Imports />
          </Route>
          <Route path="/imports/:id">{({ id }) => <ImportPage key={id} id={id} />}</Route>
          <Route path="/keys">
            <Keys />
          </Route>
          <Route>
            <NoSuchPage />
          </Route>
        </Switch>
      </Suspense>
    </Boundary>
  );
}

function NoSuchPage() {
  const t = useText();
  return (
    <>
      <PageHead title={t.noPage.title} />
      <EmptyState title={t.noPage.what} action={{ href: '/', label: t.nav.overview }} />
    </>
  );
}
