import { endOnSignals } from '#platform/signals';

// Before everything else is loaded: that takes a while.
endOnSignals();
const { run } = await import('./run.js');
process.exitCode = await run();
