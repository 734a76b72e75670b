import { requestIdFrom, traceIdFrom } from '#platform';

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

describe('requestIdFrom', () => {
  it('keeps a sane id', () => {
    expect(requestIdFrom('req-42/ä'.slice(0, 6))).toBe('req-42');
    expect(requestIdFrom('x'.repeat(128))).toBe('x'.repeat(128));
  });

  it.each([undefined, '', ' ', 'x'.repeat(129), 'line\nbreak', 'ünsane', '\u001b[31m', ['a', 'b']])(
    'makes a new one instead of %p',
    (header) => {
      expect(requestIdFrom(header)).toMatch(UUID);
    },
  );
});

describe('traceIdFrom', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

  it('reads the trace of the caller', () => {
    expect(traceIdFrom(`00-${traceId}-00f067aa0ba902b7-01`)).toBe(traceId);
  });

  it.each([undefined, 'nonsense', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `ff-${traceId}-00f067aa0ba902b7-01`])(
    'ignores %p',
    (header) => {
      expect(traceIdFrom(header)).toBeUndefined();
    },
  );
});
