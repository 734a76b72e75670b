import { runProcess } from '#platform/process';

await runProcess(() => import('./run.js'));
