import type { BoundedWindow, JsonValue } from '#domain';

/** What is remembered of a calendar from one look to the next. No content of it. */
export interface LookCursor {
  /** Where the adapter tells changes from; null: it has to be asked for a new beginning. */
  sync: JsonValue | null;
  /** What is read of the calendar; null: all of it. */
  window: BoundedWindow | null;
  /** When subscribers were told something last. */
  toldAtMs: number | null;
  /** The look before was the beginning: what was hinted since may have been part of it. */
  isBeginning: boolean;
  /** Subscribers were told that the calendar cannot be read now. */
  isLost: boolean;
}

export const NO_CURSOR: LookCursor = { sync: null, window: null, toldAtMs: null, isBeginning: false, isLost: false };

/** null: it is of another release, or spoilt. */
export function readLookCursor(text: string): LookCursor | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  return isLookCursor(value) ? value : null;
}

export function writeLookCursor(cursor: LookCursor): string {
  return JSON.stringify(cursor);
}

function isLookCursor(value: unknown): value is LookCursor {
  if (typeof value !== 'object' || value === null) return false;
  const { sync, window, toldAtMs, isBeginning, isLost } = value as Partial<LookCursor>;
  return (
    sync !== undefined &&
    (window === null || (typeof window?.startMs === 'number' && typeof window.endMs === 'number')) &&
    (toldAtMs === null || typeof toldAtMs === 'number') &&
    typeof isBeginning === 'boolean' &&
    typeof isLost === 'boolean'
  );
}
