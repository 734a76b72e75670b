/** What a page asks by itself keeps no session alive: somebody must have used it within this time, milliseconds. */
const ATTENDED_MS = 60_000;

let usedAt = performance.now();
for (const type of ['keydown', 'pointerdown', 'touchstart', 'wheel']) {
  addEventListener(type, () => (usedAt = performance.now()), { capture: true, passive: true });
}

/** Somebody is using this page. */
export function isAttended(): boolean {
  return performance.now() - usedAt < ATTENDED_MS;
}
