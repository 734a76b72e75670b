import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { LineBuffer, LINGER_MS } from './line-buffer.js';

function output() {
  const writes: string[] = [];
  let flushes = 0;
  const destination = { write: (lines: string) => void writes.push(lines), flushSync: () => void (flushes += 1) };
  return { writes, flushes: () => flushes, buffer: new LineBuffer(destination) };
}

describe('LineBuffer', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('writes lines together and in order, none later than it may linger', () => {
    const { writes, buffer } = output();
    buffer.write('a\n');
    jest.advanceTimersByTime(LINGER_MS - 1);
    buffer.write('b\n');
    expect(writes).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(writes).toEqual(['a\nb\n']);
    buffer.write('c\n');
    jest.advanceTimersByTime(LINGER_MS);
    expect(writes).toEqual(['a\nb\n', 'c\n']);
  });

  it('lets no more than a few kilobytes wait, and starts anew after them', () => {
    const { writes, buffer } = output();
    const line = `${'x'.repeat(999)}\n`;
    for (let i = 0; i < 17; i++) buffer.write(line);
    expect(writes).toEqual([line.repeat(17)]);
    buffer.write('next\n');
    jest.advanceTimersByTime(LINGER_MS - 1);
    expect(writes).toHaveLength(1);
    jest.advanceTimersByTime(1);
    expect(writes[1]).toBe('next\n');
  });

  it('writes everything before the process can end: at a fatal line, and when asked', () => {
    const { writes, flushes, buffer } = output();
    const logger = pino({ base: null, timestamp: false }, buffer);
    logger.info('before');
    logger.fatal('the end');
    expect(writes.join('')).toBe('{"level":30,"msg":"before"}\n{"level":60,"msg":"the end"}\n');
    expect(flushes()).toBe(1);
    jest.advanceTimersByTime(LINGER_MS);
    expect(writes).toHaveLength(1);
    buffer.write('last\n');
    buffer.flushSync();
    expect(writes[1]).toBe('last\n');
  });
});
