import { isPublicUrl } from '#egress';

describe('isPublicUrl', () => {
  it.each([
    'https://calendar.example.com',
    'https://calendar.example.com:8443/cal/',
    'https://calendar.example.com:6443',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
  ])('takes %s for public', (url) => expect(isPublicUrl(url)).toBe(true));

  it.each([
    'http://calendar.example.com',
    'http://localhost:3000',
    'https://localhost',
    'https://calendar',
    'https://calendar.internal',
    'https://calendar.local.',
    'https://127.0.0.1:3000',
    'https://2130706433',
    'https://10.1.2.3',
    'https://192.168.0.1',
    'https://169.254.169.254',
    'https://100.64.0.1',
    'https://[::1]',
    'https://[fd00::1]',
    'https://[::ffff:10.0.0.1]',
    'https://user@calendar.example.com',
    'calendar.example.com',
    '',
  ])('does not take %s for public', (url) => expect(isPublicUrl(url)).toBe(false));
});
