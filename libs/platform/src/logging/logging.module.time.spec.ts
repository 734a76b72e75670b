import { createLogger } from '#platform';

describe('the time of a log line', () => {
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
