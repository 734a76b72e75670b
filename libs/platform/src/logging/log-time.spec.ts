import { describe, expect, it } from '@jest/globals';
import { createLogger } from '#platform';
import { logTime } from './log-time.js';

describe('logTime', () => {
  it('follows the clock, backwards too', () => {
    let nowMs = Date.UTC(2026, 10, 21, 9, 30);
    const time = logTime(() => nowMs);
    const first = time();
    expect(first).toBe(',"time":"2026-11-21T09:30:00.000Z"');
    expect(time()).toBe(first);
    nowMs += 1;
    expect(time()).toBe(',"time":"2026-11-21T09:30:00.001Z"');
    nowMs -= 60_000;
    expect(time()).toBe(',"time":"2026-11-21T09:29:00.001Z"');
  });

  it('is on every line of the logger', () => {
    const written: string[] = [];
    const before = Date.now();
    createLogger({ service: 'test', level: 'info', destination: { write: (line) => void written.push(line) } }).info(
      'x',
    );
    const { time } = JSON.parse(written.join('')) as { time: string };
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
  });
});
