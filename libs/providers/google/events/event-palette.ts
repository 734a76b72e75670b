import { recordOf } from '#providers/kit/events';
import type { GoogleConnection } from '../connection.js';
import type { EventPalette } from './event-colors.js';

const KEPT_FOR_MS = 24 * 3_600_000;
const HEX_COLOR = /^#[0-9a-f]{6}$/i;

/** Google's event palette: one for everybody, and all but constant. */
export class EventPalettes {
  private kept: { palette: EventPalette; untilMs: number } | null = null;

  constructor(private readonly nowMs: () => number) {}

  /** @throws GoogleFault */
  async get(connection: GoogleConnection): Promise<EventPalette> {
    if (this.kept !== null && this.kept.untilMs > this.nowMs()) return this.kept.palette;
    const { event } = await connection.call('read', () => connection.api.colors.get({}));
    const palette = new Map(
      Object.entries(recordOf(event)).flatMap(([id, color]): [string, string][] => {
        const { background } = recordOf(color);
        return typeof background === 'string' && HEX_COLOR.test(background) ? [[id, background.toLowerCase()]] : [];
      }),
    );
    if (palette.size > 0) this.kept = { palette, untilMs: this.nowMs() + KEPT_FOR_MS };
    return palette;
  }
}
