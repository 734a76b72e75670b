/** Milliseconds since the last input. Automatic requests after that do not extend the session. */
const ATTENDED_MS = 60_000;

let usedAt = performance.now();
for (const type of ['keydown', 'pointerdown', 'touchstart', 'wheel']) {
  addEventListener(type, () => (usedAt = performance.now()), { capture: true, passive: true });
}

export function isAttended(): boolean {
  return performance.now() - usedAt < ATTENDED_MS;
}
