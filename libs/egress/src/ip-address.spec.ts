import { BlockList, isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { isInBlock, parseIpAddress, parseIpBlock } from './ip-address.js';

describe('parseIpAddress', () => {
  it.each([
    ['0.0.0.0', 4, 0n],
    ['127.0.0.1', 4, 0x7f000001n],
    ['255.255.255.255', 4, 0xffffffffn],
    ['::', 6, 0n],
    ['::1', 6, 1n],
    ['1::', 6, 1n << 112n],
    ['::ffff:127.0.0.1', 6, 0xffff7f000001n],
    ['64:ff9b::7f00:1', 6, (0x64ff9bn << 96n) | 0x7f000001n],
    ['2001:DB8:0:0:0:0:0:1', 6, (0x20010db8n << 96n) | 1n],
    ['1:2:3:4:5:6:1.2.3.4', 6, 0x00010002000300040005000601020304n],
  ] as const)('reads %s', (text, version, value) => {
    expect(parseIpAddress(text)).toEqual({ version, value });
  });

  it.each([
    '',
    '1',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.01',
    '127.0.0.1.',
    '127.0.0.256',
    '1.2.3.4.5',
    '127.0.0.1%lo',
    'fe80::1%eth0',
    '[::1]',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8',
    ':1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:',
    '12345::',
    'g::',
    '1.2.3.4::',
    '::1.2.3',
    '::1.2.3.4:5',
    ' 127.0.0.1',
    '１27.0.0.1',
  ])('does not read %j', (text) => {
    expect(parseIpAddress(text)).toBeNull();
  });

  it('reads exactly what node:net takes for an address without zone', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[0-9a-f:.]{1,20}$/)), (text) => {
        const known = isIPv4(text) ? 4 : isIPv6(text) ? 6 : null;
        expect(parseIpAddress(text)?.version ?? null).toBe(known);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('parseIpBlock', () => {
  it.each(['10.0.0.0/33', '10.0.0.1/8', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', '/8', '10.0.0.0'])(
    'does not read %j',
    (text) => {
      expect(parseIpBlock(text)).toBeNull();
    },
  );

  it('holds the addresses that node:net BlockList holds', () => {
    const prefix = fc.integer({ min: 0, max: 32 });
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), prefix, (base, text, bits) => {
        const baseValue = parseIpAddress(base)?.value ?? 0n;
        const shift = BigInt(32 - bits);
        const block = { base: { version: 4 as const, value: (baseValue >> shift) << shift }, prefix: bits };
        const list = new BlockList();
        list.addSubnet(base, bits);
        const address = parseIpAddress(text);
        expect(address !== null && isInBlock(address, block)).toBe(list.check(text));
      }),
    );
  });

  it('never holds an address of the other version', () => {
    const block = parseIpBlock('::/0');
    const address = parseIpAddress('1.2.3.4');
    expect(block && address && isInBlock(address, block)).toBe(false);
  });
});
