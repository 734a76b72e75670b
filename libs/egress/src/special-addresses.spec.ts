import { parseIpAddress, type IpAddress } from './ip-address.js';
import { embeddedIpv4, isMetadataAddress, isPublicAddress } from './special-addresses.js';

function ip(text: string): IpAddress {
  const address = parseIpAddress(text);
  if (address === null) throw new TypeError(text);
  return address;
}

/** First and last address of every block that must be refused, and the neighbours that must not be. */
describe('isPublicAddress', () => {
  it.each([
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.31.196.0', '192.31.196.255'],
    ['192.52.193.0', '192.52.193.255'],
    ['192.88.99.0', '192.88.99.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['192.175.48.0', '192.175.48.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '239.255.255.255'],
    ['240.0.0.0', '255.255.255.255'],
    ['168.63.129.16', '168.63.129.16'],
    ['::', '::1'],
    ['::7f00:1', '::ffff:8.8.8.8'],
    ['64:ff9b::8.8.8.8', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ['100::', '100::ffff:ffff:ffff:ffff'],
    ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::'],
    ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
    ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['5f00::', '5f00:ffff::'],
    ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fe80::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2a00:1450::5efe:7f00:1', '2a00:1450::200:5efe:808:808'],
  ])('N23 refuses %s and %s', (first, last) => {
    expect([isPublicAddress(ip(first)), isPublicAddress(ip(last))]).toEqual([false, false]);
  });

  it.each([
    '1.0.0.0',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '168.63.129.17',
    '17.248.1.1',
    '2000::',
    '2001:200::',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '2620:4f:7fff::',
    '2a00:1450:4001:80b::200e',
    '3ffe:ffff::1',
  ])('lets %s pass', (text) => {
    expect(isPublicAddress(ip(text))).toBe(true);
  });
});

describe('embeddedIpv4', () => {
  it.each([
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::10.1.2.3', '10.1.2.3'],
    ['::ffff:0:10.1.2.3', '10.1.2.3'],
    ['64:ff9b::10.1.2.3', '10.1.2.3'],
    ['2002:a01:203::1', '10.1.2.3'],
    ['2001:0:1:2:3:4:f5fe:fdfc', '10.1.2.3'],
    ['2a00::5efe:10.1.2.3', '10.1.2.3'],
    ['fe80::200:5efe:10.1.2.3', '10.1.2.3'],
  ])('finds in %s %s', (text, inner) => {
    expect(embeddedIpv4(ip(text))).toEqual(ip(inner));
  });

  it('finds none in an ordinary address', () => {
    expect([embeddedIpv4(ip('2a00:1450::1')), embeddedIpv4(ip('10.1.2.3'))]).toEqual([null, null]);
  });
});

describe('isMetadataAddress', () => {
  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    '::ffff:169.254.169.254',
    '::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '2001:0:0:0:0:0:5601:5601',
    'fe80::5efe:169.254.169.254',
  ])('knows %s', (text) => {
    expect(isMetadataAddress(ip(text))).toBe(true);
  });

  it.each(['169.254.1.1', '10.0.0.1', '127.0.0.1', 'fd00::1'])('is not %s', (text) => {
    expect(isMetadataAddress(ip(text))).toBe(false);
  });
});
