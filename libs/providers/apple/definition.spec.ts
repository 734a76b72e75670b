import { appleFlavor, ICLOUD_ROOT } from './definition.js';

describe('appleFlavor', () => {
  const flavor = appleFlavor('https://caldav.icloud.com');
  const given = new URL(ICLOUD_ROOT);

  it.each([
    ['https://p42-caldav.icloud.com:443/1/calendars/', true],
    ['https://caldav.icloud.com/', true],
    ['https://p42-caldav.icloud.com:8443/', false],
    ['http://p42-caldav.icloud.com/', false],
    ['https://www.icloud.com/', false],
    ['https://p42-caldav.icloud.com.evil.test/', false],
    ['https://px-caldav.icloud.com/', false],
    ['https://evil-caldav.icloud.com/', false],
  ])('N28 %s may see the password: %s', (url, expected) => {
    expect(flavor.mayAdopt(new URL(url), given)).toBe(expected);
  });

  it('lets the domain of a configured root see it too', () => {
    const own = appleFlavor('https://caldav.example.test/');
    expect(own.mayAdopt(new URL('https://p1.example.test/'), new URL('https://caldav.example.test/'))).toBe(true);
    expect(own.mayAdopt(new URL('https://evil.test/'), new URL('https://caldav.example.test/'))).toBe(false);
  });

  it('drops blanks of a copied password and keeps its hyphens', () => {
    expect(flavor.preparePassword(' abcd-efgh ijkl-mnop\n')).toBe('abcd-efghijkl-mnop');
  });
});
