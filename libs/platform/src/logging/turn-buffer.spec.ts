import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { TurnBuffer } from './turn-buffer.js';

function output() {
  const writes: string[] = [];
  let flushes = 0;
  const destination = { write: (lines: string) => void writes.push(lines), flushSync: () => void (flushes += 1) };
  return { writes, flushes: () => flushes, buffer: new TurnBuffer(destination) };
}

describe('TurnBuffer', () => {
  it('writes the lines of one turn at once and in order, within the turn', async () => {
    const { writes, buffer } = output();
    buffer.write('a\n');
    buffer.write('b\n');
    await nextTurn();
    buffer.write('c\n');
    await nextTurn();
    expect(writes).toEqual(['a\nb\n', 'c\n']);
  });

  it('writes everything before the process can end: at a fatal line, and when asked', async () => {
    const { writes, flushes, buffer } = output();
    const logger = pino({ base: null, timestamp: false }, buffer);
    logger.info('before');
    logger.fatal('the end');
    expect(writes.join('')).toBe('{"level":30,"msg":"before"}\n{"level":60,"msg":"the end"}\n');
    expect(flushes()).toBe(1);
    await nextTurn();
    expect(writes).toHaveLength(1);
  });
});
