import { dashboardModel } from './dashboard.js';
import { api } from './dashboards/api.js';
import { changes } from './dashboards/changes.js';
import { overview } from './dashboards/overview.js';
import { processes } from './dashboards/processes.js';
import { providers } from './dashboards/providers.js';
import { queues } from './dashboards/queues.js';

/** Where the chart finds them, from the root of the repository. */
export const DASHBOARDS_DIRECTORY = 'helm/unified-calendar/dashboards';

/** What is in each of the files there, by its name. */
export const DASHBOARD_FILES: ReadonlyMap<string, string> = new Map(
  [overview, api, providers, changes, queues, processes].map((dashboard) => [
    `${dashboard.name}.json`,
    `${JSON.stringify(dashboardModel(dashboard), null, 2)}\n`,
  ]),
);
