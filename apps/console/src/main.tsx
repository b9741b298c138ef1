import './styles/tokens.css';
import './styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { readPreferences } from './session/preferences.ts';
import { takeOver } from './session/session.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('the page has no #app');
await Promise.all([readPreferences(), takeOver()]);
// Errors that a boundary catches are shown in the page.
createRoot(root, { onCaughtError: (error) => console.warn(error) }).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
