import { AddressPolicy } from './address-policy.js';
import type { Trust } from './contract.js';
import { EgressError } from './errors.js';

const strict = new AddressPolicy({ allow: '', trustedOrigins: [] });

function decision(policy: AddressPolicy, url: string, addresses?: string[], trust?: Trust): string {
  try {
    const target = policy.checkUrl(url, trust);
    if (addresses !== undefined) policy.assertAllowedAddresses(target, addresses);
    return 'allowed';
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return error.rule === undefined ? error.failure : `${error.failure}: ${error.rule}`;
  }
}

describe('checkUrl', () => {
  it.each([
    ['http://dav.example.com/', 'bad-url: scheme'],
    ['ftp://dav.example.com/', 'bad-url: scheme'],
    ['file:///etc/passwd', 'bad-url: syntax'],
    ['file://dav.example.com/etc/passwd', 'bad-url: scheme'],
    ['unix:///var/run/docker.sock', 'bad-url: syntax'],
    ['http+unix://%2fvar%2frun%2fdocker.sock/', 'bad-url: scheme'],
    ['javascript:alert(1)', 'bad-url: syntax'],
    ['data:text/plain,x', 'bad-url: syntax'],
    ['//dav.example.com/', 'bad-url: syntax'],
    ['dav.example.com', 'bad-url: syntax'],
    ['', 'bad-url: syntax'],
    ['https://', 'bad-url: syntax'],
    ['https:///dav.example.com/', 'bad-url: syntax'],
    ['https:dav.example.com', 'bad-url: syntax'],
    ['https:\\\\dav.example.com\\', 'bad-url: syntax'],
    ['https://dav.example.com\\@127.0.0.1/', 'bad-url: syntax'],
    ['https://user@dav.example.com/', 'bad-url: userinfo'],
    ['https://user:secret@dav.example.com/', 'bad-url: userinfo'],
    ['https://@dav.example.com/', 'bad-url: userinfo'],
    ['https://:@dav.example.com/', 'bad-url: userinfo'],
    ['https://dav.example.com/#fragment', 'bad-url: fragment'],
    ['https://dav.example.com/#', 'bad-url: fragment'],
    [' https://dav.example.com/', 'bad-url: control-character'],
    ['https://dav.exam\tple.com/', 'bad-url: control-character'],
    ['https://dav.example.com/\r\nHost: x', 'bad-url: control-character'],
    ['https://dav.example.com:22/', 'bad-url: port'],
    ['https://dav.example.com:25/', 'bad-url: port'],
    ['https://dav.example.com:80/', 'bad-url: port'],
    ['https://dav.example.com:465/', 'bad-url: port'],
    ['https://dav.example.com:587/', 'bad-url: port'],
    ['https://dav.example.com:1023/', 'bad-url: port'],
    ['https://dav.example.com:3306/', 'bad-url: port'],
    ['https://dav.example.com:5432/', 'bad-url: port'],
    ['https://dav.example.com:6379/', 'bad-url: port'],
    ['https://dav.example.com:9200/', 'bad-url: port'],
    ['https://dav.example.com:11211/', 'bad-url: port'],
    ['https://dav.example.com:0/', 'bad-url: port'],
    ['https://dav.example.com:65536/', 'bad-url: syntax'],
    ['https://localhost./', 'address-blocked: name'],
    ['https://db.internal/', 'address-blocked: name'],
    ['https://redis/', 'address-blocked: name'],
  ])('N26 %j: %s', (url, expected) => {
    expect(decision(strict, url)).toBe(expected);
  });

  it.each([
    'https://dav.example.com',
    'HTTPS://DAV.EXAMPLE.COM/',
    'https://dav.example.com:443/',
    'https://dav.example.com:8443/x?y=z',
    'https://dav.example.com:1024/',
    'https://bücher.example/',
    'https://a_b.example.com/',
    'https://17.248.1.1/',
    'https://[2a00:1450:4001:80b::200e]/',
    'https://localhost.example.com/',
    'https://my.notlocal.org/',
  ])('lets %s pass', (url) => {
    expect(decision(strict, url)).toBe('allowed');
  });

  it('N32 judges and dials the canonical form', () => {
    const { hostname, origin, port, path } = strict.checkUrl('https://DAV.Bücher.EXAMPLE.:443/A%20b/?q=1');
    expect({ hostname, origin, port, path }).toEqual({
      hostname: 'dav.xn--bcher-kva.example',
      origin: 'https://dav.xn--bcher-kva.example',
      port: 443,
      path: '/A%20b/?q=1',
    });
    expect(strict.checkUrl('https://[2A00:1450:0:0::200E]:8443/').origin).toBe('https://[2a00:1450::200e]:8443');
  });
});

describe('assertAllowedAddresses', () => {
  const url = 'https://dav.example.com/';

  it.each([
    [['127.0.0.1']],
    [['8.8.8.8', '10.0.0.1']],
    [['10.0.0.1', '8.8.8.8']],
    [['2a00:1450::1', '::1']],
    [['64:ff9b::808:808']],
    [['2002:808:808::1']],
    [['2001:0:4136:e378:8000:63bf:3fff:fdd2']],
    [['::ffff:8.8.8.8']],
    [['fe80::1%eth0']],
    [['not an address']],
    [['8.8.8.8', '']],
  ])('N23 refuses a name that resolves to %j', (addresses) => {
    expect(decision(strict, url, addresses)).toMatch(/^address-blocked: (address|unreadable-address)$/);
  });

  it('lets public addresses pass, and takes none for a failed resolution', () => {
    expect(decision(strict, url, ['8.8.8.8', '2a00:1450::1'])).toBe('allowed');
    expect(decision(strict, url, [])).toBe('dns: no-address');
  });
});

describe('what the operator allows', () => {
  const allowing = (allow: string) => new AddressPolicy({ allow, trustedOrigins: [] });

  it('host: private, plain http, ports by the rules', () => {
    const policy = allowing('radicale, dav.example.com ,bücher.example');
    expect(decision(policy, 'http://radicale:5232/', ['10.0.0.1'])).toBe('allowed');
    expect(decision(policy, 'http://radicale/', ['10.0.0.1'])).toBe('allowed');
    expect(decision(policy, 'http://RADICALE.:5232/', ['10.0.0.1'])).toBe('allowed');
    expect(decision(policy, 'https://xn--bcher-kva.example/', ['::1'])).toBe('allowed');
    expect(decision(policy, 'http://radicale:6379/')).toBe('bad-url: port');
    expect(decision(policy, 'http://x.radicale/')).toBe('bad-url: scheme');
    expect(decision(policy, 'http://a.dav.example.com/')).toBe('bad-url: scheme');
  });

  it('host:port: that port alone, whichever it is', () => {
    const policy = allowing('localhost:81');
    expect(decision(policy, 'http://localhost:81/', ['127.0.0.1', '::1'])).toBe('allowed');
    expect(decision(policy, 'http://localhost:8081/')).toBe('bad-url: scheme');
    expect(decision(policy, 'https://localhost/')).toBe('address-blocked: name');
  });

  it('address:port: the literal and every name that leads there and nowhere else', () => {
    const policy = allowing('127.0.0.1:5232,[::1]:5233');
    expect(decision(policy, 'http://127.0.0.1:5232/')).toBe('allowed');
    expect(decision(policy, 'http://0x7f.1:5232/')).toBe('allowed');
    expect(decision(policy, 'http://[::1]:5233/')).toBe('allowed');
    expect(decision(policy, 'http://localhost:5232/', ['127.0.0.1'])).toBe('allowed');
    expect(decision(policy, 'http://localhost:5232/', ['127.0.0.1', '::1'])).toBe('bad-url: scheme');
    expect(decision(policy, 'https://dav.example.com:5232/', ['127.0.0.1', '8.8.8.8'])).toBe('allowed');
    expect(decision(policy, 'http://127.0.0.1:5233/')).toBe('bad-url: scheme');
    expect(decision(policy, 'https://127.0.0.1/')).toBe('address-blocked: address');
    expect(decision(policy, 'http://[::1]:5232/')).toBe('bad-url: scheme');
  });

  it('CIDR: plain http only when every address is inside', () => {
    const policy = allowing('10.0.0.0/8,fd00::/8');
    expect(decision(policy, 'http://10.1.2.3:5232/')).toBe('allowed');
    expect(decision(policy, 'http://dav.corp/', ['10.1.2.3', 'fd00::1'])).toBe('allowed');
    expect(decision(policy, 'http://dav.example.com/', ['10.1.2.3', '8.8.8.8'])).toBe('bad-url: scheme');
    expect(decision(policy, 'https://redis/', ['8.8.8.8'])).toBe('address-blocked: name');
    expect(decision(policy, 'http://10.1.2.3:6379/')).toBe('bad-url: scheme');
    expect(decision(policy, 'https://10.1.2.3:22/')).toBe('bad-url: port');
    expect(decision(policy, 'https://11.1.2.3/')).toBe('allowed');
    expect(decision(policy, 'https://192.168.1.1/')).toBe('address-blocked: address');
  });

  it('never metadata services, whatever is allowed', () => {
    const policy = allowing('0.0.0.0/0,::/0,metadata.google.internal,169.254.169.254:80,rebind.example');
    for (const host of [
      '169.254.169.254',
      '[::ffff:169.254.169.254]',
      '[64:ff9b::a9fe:a9fe]',
      '[fd00:ec2::254]',
      '100.100.100.200',
    ]) {
      expect(decision(policy, `http://${host}/`)).toBe('address-blocked: metadata');
    }
    expect(decision(policy, 'http://metadata.google.internal/', ['169.254.169.254'])).toBe('address-blocked: metadata');
    expect(decision(policy, 'http://rebind.example/', ['8.8.8.8', '169.254.170.2'])).toBe('address-blocked: metadata');
    expect(decision(policy, 'http://127.0.0.1/')).toBe('allowed');
  });

  it('NAT64: only to IPv4 addresses that are public or allowed themselves', () => {
    const policy = allowing('64:ff9b::/96,10.0.0.0/8');
    expect(decision(policy, 'https://dav.example.com/', ['64:ff9b::8.8.8.8'])).toBe('allowed');
    expect(decision(policy, 'https://dav.example.com/', ['64:ff9b::10.0.0.1'])).toBe('allowed');
    expect(decision(policy, 'https://dav.example.com/', ['64:ff9b::192.168.0.1'])).toBe('address-blocked: address');
    expect(decision(policy, 'https://dav.example.com/', ['64:ff9b::169.254.169.254'])).toBe(
      'address-blocked: metadata',
    );
  });

  it('configured origins: as configured for who is trusted, no other port or scheme, and like any other for all others', () => {
    const policy = new AddressPolicy({
      allow: '',
      trustedOrigins: ['http://127.0.0.1:4010/caldav', 'http://sandbox:4011'],
    });
    const trusted = (url: string, addresses?: string[]) => decision(policy, url, addresses, 'configured');
    expect(trusted('http://127.0.0.1:4010/other')).toBe('allowed');
    expect(trusted('http://sandbox:4011/', ['172.18.0.2'])).toBe('allowed');
    expect(trusted('http://127.0.0.1:4011/')).toBe('bad-url: scheme');
    expect(trusted('https://127.0.0.1:4010/')).toBe('address-blocked: address');
    expect(trusted('https://sandbox:4011/')).toBe('address-blocked: name');
    expect(trusted('https://dav.example.com/', ['10.0.0.1'])).toBe('address-blocked: address');
    expect(decision(policy, 'http://127.0.0.1:4010/other')).toBe('bad-url: scheme');
    expect(decision(policy, 'http://sandbox:4011/')).toBe('bad-url: scheme');
  });

  it.each([
    '10.0.0.1/8',
    'host:0',
    'host:65536',
    'a b',
    'https://host',
    'host/path',
    'host?query',
    '10.0.0.0/8:80',
    'user@host',
    '[::1',
  ])('refuses to start with the entry %j', (allow) => {
    expect(() => allowing(allow)).toThrow(/EGRESS_ALLOW/);
  });
});
