/** Milliseconds since the last input. Automatic requests after that do not extend the session. */
const USER_ACTIVE_MS = 60_000;

let usedAt = performance.now();
for (const type of ['keydown', 'pointerdown', 'touchstart', 'wheel']) {
  addEventListener(type, () => (usedAt = performance.now()), { capture: true, passive: true });
}

export function isUserActive(): boolean {
  return performance.now() - usedAt < USER_ACTIVE_MS;
}
