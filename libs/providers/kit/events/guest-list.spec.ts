import { guestsByAddress } from './guest-list.js';

describe('guestsByAddress', () => {
  it('names everybody once, as first written, without the scheme', () => {
    const guests = guestsByAddress(
      [{ email: ' mailto:Omar@x.example', name: 'Omar' }, { email: 'omar@X.example' }, { email: 'eva@x.example' }],
      3,
    );
    expect([...guests]).toEqual([
      ['omar@x.example', { email: 'Omar@x.example', name: 'Omar' }],
      ['eva@x.example', { email: 'eva@x.example' }],
    ]);
  });

  it.each(['', 'x', '@x', 'a b@x', 'a@x,b@x', 'a\r\nb@x', `${'a'.repeat(320)}@x`, '\ud800@x'])(
    'takes %j for no address',
    (email) => {
      expect(() => guestsByAddress([{ email: 'eva@x.example' }, { email }], 3)).toThrow(
        expect.objectContaining({ details: [expect.objectContaining({ path: 'attendees.1.email' })] }),
      );
    },
  );

  it('takes no more than the provider does', () => {
    expect(() => guestsByAddress([{ email: 'a@x' }, { email: 'b@x' }], 1)).toThrow(
      expect.objectContaining({ code: 'ValidationFailed' }),
    );
  });
});
