import { isAt } from './request-headers.js';

describe('isAt', () => {
  it.each([
    ['https://ops.example.com', 'ops.example.com', true],
    ['https://ops.example.com', 'OPS.example.com:443', true],
    ['https://ops.example.com/', 'ops.example.com:8443', false],
    ['https://calendar.example.com:8443', 'calendar.example.com:8443', true],
    ['https://calendar.example.com:8443', 'calendar.example.com', false],
    ['https://ops.example.com', 'calendar.example.com', false],
    ['https://ops.example.com', 'ops.example.com.attacker.example', false],
    ['https://ops.example.com', 'attacker.example/ops.example.com', false],
    ['https://ops.example.com', 'ops.example.com@attacker.example', false],
    ['https://ops.example.com', 'attacker@ops.example.com', false],
    ['https://ops.example.com', 'ops.example.com/', true],
    ['https://ops.example.com', 'ops.example.com/x', false],
    ['https://ops.example.com', '', false],
    ['https://ops.example.com', undefined, false],
    ['http://127.0.0.1:3000', '127.0.0.1:3000', true],
  ])('%s and the Host %j: %s', (url, host, expected) => expect(isAt(url, host)).toBe(expected));
});
