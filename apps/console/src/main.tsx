import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/router.js';
import { redeemTicket } from './app/ticket.js';
import { queries } from './data/queries.js';
import { applyPreferences, whenLanguageChanges } from './language/preferences.js';
import './style/tokens.css';
import './style/base.css';
import './style/shell.css';
import './style/components.css';
import './style/charts.css';

applyPreferences();
// The gateway words definitions and errors in the language of the page.
whenLanguageChanges(() => void queries.invalidateQueries());
// Before the router sees the address: the ticket must not stay in it.
await redeemTicket();
// An address that is opened in a page of the console changes only its fragment.
addEventListener('hashchange', () => void redeemTicket());
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
