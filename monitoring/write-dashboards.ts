// `npm run grafana`: writes the dashboards of the chart anew, from what is said of them here.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DASHBOARD_FILES, DASHBOARDS_DIRECTORY } from './dashboard-files.js';

const directory = join(dirname(dirname(fileURLToPath(import.meta.url))), DASHBOARDS_DIRECTORY);
mkdirSync(directory, { recursive: true });
for (const [name, text] of DASHBOARD_FILES) writeFileSync(join(directory, name), text);
