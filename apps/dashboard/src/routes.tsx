import type { ComponentType } from 'react';
import type { RouteObject } from 'react-router';
import { EntranceLayout } from './layout/entrance-layout.js';
import { PageFailure } from './layout/page-failure.js';
import { Shell } from './layout/shell.js';
import { NotFoundPage } from './pages/not-found-page.js';
import { NeedsSession } from './session/index.js';

/** A page is loaded when it is opened. */
const page = (load: () => Promise<{ default: ComponentType }>) => async () => ({ Component: (await load()).default });

/** Below /dashboard, for operators. One line for each page. */
const PAGES: RouteObject[] = [
  { path: 'operators', lazy: page(() => import('./pages/operators/operators-page.js')) },
  { path: 'audit', lazy: page(() => import('./pages/audit/audit-page.js')) },
  { path: 'profile', lazy: page(() => import('./pages/profile/profile-page.js')) },
];

/** For those who have no session. */
const ENTRANCES: RouteObject[] = [
  { path: 'sign-in', lazy: page(() => import('./pages/entrance/sign-in-page.js')) },
  { path: 'setup', lazy: page(() => import('./pages/entrance/setup-page.js')) },
  { path: 'invitation', lazy: page(() => import('./pages/entrance/invitation-page.js')) },
];

/** The errors of a page stay within the frame around it. */
const within = (pages: RouteObject[]): RouteObject[] => [{ ErrorBoundary: PageFailure, children: pages }];

export const routes: RouteObject[] = [
  {
    HydrateFallback: () => null,
    children: [
      { Component: EntranceLayout, children: within(ENTRANCES) },
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
