import { randomUUIDv7 } from 'node:crypto';
import fc from 'fast-check';
import { isMessageId, messageIdOf, uuidOf } from './message.js';

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('message ids', () => {
  it('are the UUID in base 62', () => {
    expect(messageIdOf('00000000-0000-0000-0000-000000000000')).toBe('msg_0000000000000000000000');
    expect(messageIdOf('00000000-0000-0000-0000-00000000003e')).toBe('msg_0000000000000000000010');
    expect(messageIdOf('ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe('msg_7n42DGM5Tflk9n8mt7Fhc7');
    expect(messageIdOf('FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF')).toBe('msg_7n42DGM5Tflk9n8mt7Fhc7');
  });

  it('W2 hold no full stop, and are in the order of the UUIDs', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (a, b) => {
        expect(isMessageId(messageIdOf(a))).toBe(true);
        expect(byBytes(messageIdOf(a), messageIdOf(b))).toBe(byBytes(a, b));
      }),
    );
    expect(isMessageId(messageIdOf(randomUUIDv7()))).toBe(true);
  });

  it.each([
    '',
    '0',
    'msg_',
    '00000000-0000-0000-0000-00000000000g',
    '00000000000000000000000000000000',
    ' '.repeat(36),
  ])('are not made of %j', (uuid) => expect(() => messageIdOf(uuid)).toThrow(TypeError));

  it.each(['', 'msg_', 'msg_000000000000000000000.', 'msg_0000000000000000000000\n', 'MSG_0000000000000000000000'])(
    'are not %j',
    (text) => expect(isMessageId(text)).toBe(false),
  );

  it('lead back to the UUID, and nothing else does', () => {
    fc.assert(fc.property(fc.uuid(), (uuid) => expect(uuidOf(messageIdOf(uuid))).toBe(uuid)));
    // One more than the largest one.
    for (const text of ['msg_7n42DGM5Tflk9n8mt7Fhc8', 'msg_zzzzzzzzzzzzzzzzzzzzzz', 'msg_0', '']) {
      expect(uuidOf(text)).toBeNull();
    }
  });
});
