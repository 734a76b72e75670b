import { describe, expect, it } from '@jest/globals';
import { argon2Sync } from 'node:crypto';
import { assertAcceptablePassword, OperatorPasswords } from './operator-passwords.js';

const PASSWORD = 'correct horse battery';
const OUTDATED = hashedCheaply();

function hashedCheaply(): string {
  const salt = Buffer.alloc(16, 7);
  const cheap = { memory: 1_024, passes: 1, parallelism: 1, tagLength: 32 };
  const tag = argon2Sync('argon2id', { ...cheap, message: PASSWORD, nonce: salt });
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=1024,t=1,p=1$${text(salt)}$${text(tag)}`;
}

describe('N62 passwords', () => {
  it('are kept as argon2id with what OWASP asks for, and a salt each', async () => {
    const passwords = new OperatorPasswords();
    const [one, other] = [await passwords.hash(PASSWORD), await passwords.hash(PASSWORD)];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(other);
    expect(await passwords.verify(PASSWORD, one)).toBe('right');
    expect(await passwords.verify(`${PASSWORD} `, one)).toBe('wrong');
  });

  it('are known again however their accents were typed', async () => {
    const passwords = new OperatorPasswords();
    expect(await passwords.verify('cafe\u0301 au lait noir', await passwords.hash('caf\u00e9 au lait noir'))).toBe(
      'right',
    );
  });

  it('are told to be hashed anew when the parameters have grown since', async () => {
    expect(await new OperatorPasswords().verify(PASSWORD, OUTDATED)).toBe('outdated');
    expect(await new OperatorPasswords().verify('something else!', OUTDATED)).toBe('wrong');
  });

  it('that do not exist are wrong ones', async () => {
    expect(await new OperatorPasswords().verify('', null)).toBe('wrong');
  });

  it('are looked at one after the other, and refused when too many wait', async () => {
    const passwords = new OperatorPasswords();
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => passwords.verify(PASSWORD, OUTDATED)));
    const rejected = outcomes.filter(({ status }) => status === 'rejected');
    expect(rejected).toHaveLength(40 - 34);
    expect(rejected[0]).toMatchObject({ reason: { code: 'RateLimited', retryAfterSeconds: 1 } });
    expect(await passwords.verify(PASSWORD, OUTDATED)).toBe('outdated');
  });

  it('of who is known are looked at ahead of all strangers, however many wait', async () => {
    const passwords = new OperatorPasswords();
    const done: string[] = [];
    const strangers = Array.from({ length: 40 }, () =>
      passwords.verify(PASSWORD, OUTDATED).then(
        () => done.push('stranger'),
        () => undefined,
      ),
    );
    const known = passwords.verify(PASSWORD, OUTDATED, true).then(() => done.push('known'));
    await Promise.all([...strangers, known]);
    expect(done).toHaveLength(35);
    expect(done.indexOf('known')).toBeLessThan(5);
  });
});

describe('a new password', () => {
  const assess = (password: string, email = 'ada@example.com') => assertAcceptablePassword('password', password, email);
  const rejected = { code: 'ValidationFailed', details: [{ path: 'password' }] };

  it.each(['x'.repeat(11), 'abcdefghijk', 'é'.repeat(257), 'aaaaaaaaaaaaaaaa', 'ababababababab', 'ADA@example.com'])(
    '%p is refused',
    (password) => expect(assess(password)).rejects.toMatchObject(rejected),
  );

  it.each(['abcdefghijkl', 'пароль из слов', '🐎🔋📎🪜🐎🔋📎🪜🐎🔋📎🪜', 'abcd'.repeat(64)])(
    '%p is taken',
    (password) => expect(assess(password)).resolves.toBeUndefined(),
  );

  it.each([
    ...['password1234', 'qwerty123456', '1qaz2wsx3edc', 'administrator', '123456789012'],
    // In another case of letters, and in letters that look alike to a keyboard alone.
    ...['PassWord1234', 'ADMINISTRATOR', 'ｐａｓｓｗｏｒｄ１２３４'],
    // Long enough by what is put around it, or by two of them.
    ...['Summer2026!!!', '!!!letmein!!!', '2026-welcome-2026', 'qwertyuiop[]', 'iloveyouiloveyou', 'dragonmonkey'],
  ])('N62 %p is refused: it is common', (password) => expect(assess(password)).rejects.toMatchObject(rejected));

  it.each([
    ...['UnifiedCalendar', 'unified-calendar-1', 'Calendar2026!', 'mail@calendar!'],
    ...['Ada.Lovelace@Mail.Example.com', 'adalovelace!', 'Lovelace-1815', 'Lovelace password', 'example123456'],
  ])('N62 %p is refused to its operator: it is their address, or our name', async (password) => {
    await expect(assess(password, 'ada.lovelace@mail.example.com')).rejects.toMatchObject(rejected);
  });

  it.each(['correct horse battery', 'my calendar has holes', 'lovelace wrote note g', 'three unified fields'])(
    '%p is taken: there is more to it than a word that is known',
    (password) => expect(assess(password, 'ada.lovelace@mail.example.com')).resolves.toBeUndefined(),
  );
});
