import { runProcess } from '#platform/process';

await runProcess(() => import('./start.js'));
