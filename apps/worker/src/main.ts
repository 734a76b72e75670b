import { endOnSignals } from '#platform/signals';

// Before everything else is loaded: that takes a while.
endOnSignals();
await import('./start.js');
