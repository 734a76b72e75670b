import type { ComponentType } from 'react';
import type { RouteObject } from 'react-router';
import { AuthLayout } from './layout/auth-layout.js';
import { PageFailure } from './layout/page-failure.js';
import { Shell } from './layout/shell.js';
import { NotFoundPage } from './pages/not-found-page.js';
import { NeedsSession } from './session/index.js';

/** Loads a page when it is opened. */
const page = (load: () => Promise<{ default: ComponentType }>) => async () => ({ Component: (await load()).default });

/** Paths below /dashboard. */
const PAGES: RouteObject[] = [
  { path: 'applications', lazy: page(() => import('./pages/applications/applications-page.js')) },
  { path: 'applications/:applicationId', lazy: page(() => import('./pages/applications/settings-page.js')) },
  { path: 'applications/:applicationId/keys', lazy: page(() => import('./pages/applications/keys-page.js')) },
  { path: 'applications/:applicationId/sign-in', lazy: page(() => import('./pages/applications/sign-in-page.js')) },
  {
    path: 'applications/:applicationId/redirect-urls',
    lazy: page(() => import('./pages/applications/redirect-urls-page.js')),
  },
  { path: 'accounts', lazy: page(() => import('./pages/accounts/accounts-page.js')) },
  { path: 'accounts/:accountId', lazy: page(() => import('./pages/accounts/account-page.js')) },
  { index: true, lazy: page(() => import('./pages/overview/overview-page.js')) },
  { path: 'failed-jobs', lazy: page(() => import('./pages/overview/failed-jobs-page.js')) },
  { path: 'endpoints', lazy: page(() => import('./pages/deliveries/endpoints-page.js')) },
  { path: 'endpoints/:endpointId', lazy: page(() => import('./pages/deliveries/endpoint-page.js')) },
  { path: 'messages', lazy: page(() => import('./pages/deliveries/messages-page.js')) },
  { path: 'messages/:messageId', lazy: page(() => import('./pages/deliveries/message-page.js')) },
  { path: 'requests', lazy: page(() => import('./pages/requests/requests-page.js')) },
  { path: 'usage', lazy: page(() => import('./pages/usage/usage-page.js')) },
  { path: 'operators', lazy: page(() => import('./pages/operators/operators-page.js')) },
  { path: 'audit', lazy: page(() => import('./pages/audit/audit-page.js')) },
  { path: 'profile', lazy: page(() => import('./pages/profile/profile-page.js')) },
];

/** Pages without a session. */
const ENTRANCES: RouteObject[] = [
  { path: 'sign-in', lazy: page(() => import('./pages/sign-in/sign-in-page.js')) },
  { path: 'signed-in-again', lazy: page(() => import('./pages/sign-in/signed-in-again-page.js')) },
  { path: 'setup', lazy: page(() => import('./pages/sign-in/setup-page.js')) },
  { path: 'invitation', lazy: page(() => import('./pages/sign-in/invitation-page.js')) },
];

/** Errors of a page stay within its layout. */
const within = (pages: RouteObject[]): RouteObject[] => [{ ErrorBoundary: PageFailure, children: pages }];

export const routes: RouteObject[] = [
  {
    HydrateFallback: () => null,
    children: [
      { Component: AuthLayout, children: within(ENTRANCES) },
      {
        element: (
          <NeedsSession>
            <Shell />
          </NeedsSession>
        ),
        children: within([...PAGES, { path: '*', Component: NotFoundPage }]),
      },
    ],
  },
];
