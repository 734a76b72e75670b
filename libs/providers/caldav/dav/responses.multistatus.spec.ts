import fc from 'fast-check';
import { comparablePath } from './hrefs.js';
import { innerFailure, pathIn, readMultistatus } from './responses.js';
import { XmlReader, XmlError } from './xml-reader.js';

const BASE = new URL('https://dav.example.test/cal/');

function read(xml: string, chunkSize = 7, limits = {}) {
  return readMultistatus({ url: BASE, chunks: inChunks(Buffer.from(xml), chunkSize) }, limits);
}

const readXml = (xml: Buffer) => new XmlReader().read(inChunks(xml, 65_536));

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Milliseconds of CPU since: other processes do not count. */
function cpuTimer(): () => number {
  const started = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1_000;
  };
}

async function rule(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof XmlError) return error.rule;
    throw error;
  }
  return 'accepted';
}

describe('readMultistatus', () => {
  it('reads prefixes and default namespaces alike', async () => {
    const prefixed =
      '<?xml version="1.0"?><d:multistatus xmlns:d="DAV:"><d:response><d:href>/cal/a.ics</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response><d:sync-token> t1 </d:sync-token></d:multistatus>';
    const plain = prefixed.replaceAll('d:', '').replace('xmlns:d', 'xmlns').replace('xmlns=', 'xmlns=');
    for (const xml of [prefixed, plain.replace('xmlns:="', 'xmlns="')]) {
      const { responses, syncToken } = await read(xml);
      expect(syncToken).toBe('t1');
      expect(responses[0]).toMatchObject({ href: '/cal/a.ics', path: '/cal/a.ics', status: null });
      expect(responses[0]?.properties.get('{DAV:}getetag')?.text).toBe('"1"');
    }
  });

  it('keeps calendar data exactly: CDATA, references, no trimming, over chunk borders', async () => {
    const { responses } = await read(
      '<multistatus xmlns="DAV:"><response><href>a</href><propstat><prop><x:d xmlns:x="y"> <![CDATA[<!DOCTYPE html>&amp;]]>&#13;\n&amp;ä🎉 </x:d></prop></propstat></response></multistatus>',
      3,
    );
    expect(responses[0]?.properties.get('{y}d')?.text).toBe(' <!DOCTYPE html>&amp;\r\n&ä🎉 ');
  });

  it('separates what is there from what was refused, takes an empty status for yes, and any 2xx over a 404', async () => {
    const { responses } = await read(
      '<multistatus xmlns="DAV:"><response><href>a</href><propstat><prop><one/></prop><status/></propstat><propstat><prop><two/><three/></prop><status>HTTP/1.1 404 Not Found</status></propstat><propstat><prop><three>3</three></prop><status>HTTP/1.1 200</status></propstat><propstat><prop><four/></prop><status>HTTP/1.1 403</status></propstat></response></multistatus>',
    );
    expect([...(responses[0]?.properties.keys() ?? [])]).toEqual(['{DAV:}one', '{DAV:}three']);
    expect([...(responses[0]?.rejected ?? [])]).toEqual([
      ['{DAV:}two', 404],
      ['{DAV:}four', 403],
    ]);
  });

  it('marks foreign hrefs and takes the default port for the same origin', async () => {
    const { responses } = await read(
      '<multistatus xmlns="DAV:"><response><href>https://dav.example.test:443/cal/%C3%A9%40/</href><status>HTTP/1.1 200 OK</status></response><response><href>https://evil.test/x</href><href>//evil.test/y</href><status>HTTP/1.1 404</status></response></multistatus>',
    );
    expect(responses.map(({ path, status }) => [path, status])).toEqual([
      ['/cal/é@/', 200],
      [null, 404],
      [null, 404],
    ]);
  });

  it('tells of a cut answer', async () => {
    const { responses, truncated } = await read(
      '<multistatus xmlns="DAV:"><response><href>/cal/</href><status>HTTP/1.1 507 Insufficient Storage</status></response></multistatus>',
    );
    expect(truncated).toBe(true);
    expect(responses).toEqual([]);
  });

  it('survives raw control characters, which XML does not allow', async () => {
    const { responses } = await read(
      '<multistatus xmlns="DAV:"><response><href>a\u0002b</href></response></multistatus>',
    );
    expect(responses[0]?.href).toBe('a\ufffdb');
  });

  it.each([
    ['&#11;', '\ufffd'],
    ['&#x1F;', '\ufffd'],
    ['&#0;', '\ufffd'],
    ['&#xFFFE;', '\ufffd'],
    ['&#x110000;', '\ufffd'],
    ['&#xD83D;&#xDCC5;', '📅'],
    ['&#55357;&#56517;', '📅'],
    ['&#xD83D;', '\ufffd'],
    ['&#xDCC5;&#xD83D;', '\ufffd\ufffd'],
    ['&#x41;&#66;', 'AB'],
    ['&amp;#11;', '&#11;'],
  ])('survives references that XML does not allow: %s', async (reference, character) => {
    const { responses } = await read(
      `<multistatus xmlns="DAV:"><response><href>a${reference}b</href></response></multistatus>`,
    );
    expect(responses[0]?.href).toBe(`a${character}b`);
    const { attributes } = await readXml(Buffer.from(`<a b="${reference}"/>`));
    expect(attributes).toEqual({ b: character });
  });

  it.each(['&#;', '&#x;', '&#xZ;', '&#1a;', '&#-1;'])('refuses what is no reference: %s', async (reference) => {
    expect(await rule(() => readXml(Buffer.from(`<a>${reference}</a>`)))).toBe('not-well-formed');
  });

  it('reads UTF-16', async () => {
    const bytes = Buffer.from('\ufeff<a xmlns="DAV:">ä</a>', 'utf16le');
    expect(await readXml(bytes)).toMatchObject({ name: '{DAV:}a', text: 'ä' });
  });

  it('N48 refuses document types, entities, depth and size', async () => {
    const bomb =
      '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]><lolz>&lol2;</lolz>';
    expect(await rule(() => read(bomb))).toBe('doctype');
    expect(await rule(() => read('<!-- x --><!doctype a SYSTEM "file:///etc/passwd"><a/>'))).toBe('doctype');
    expect(await rule(() => read('<multistatus xmlns="DAV:">&lol;</multistatus>'))).toBe('not-well-formed');
    expect(await rule(() => read('<multistatus xmlns="DAV:">&constructor;</multistatus>'))).toBe('not-well-formed');
    expect(await rule(() => read('<a>'.repeat(100_000), 65_536))).toBe('depth');
    expect(await rule(() => read(`${' '.repeat(20_000)}<a/>`))).toBe('prolog');
    expect(await rule(() => read('<multistatus xmlns="DAV:"><response/>', 64))).toBe('not-well-formed');
    expect(await rule(() => read('<html><body>Welcome</body></html>'))).toBe('not-multistatus');
    expect(await rule(() => read('plain text'))).toBe('not-well-formed');
    expect(await rule(() => read(''))).toBe('not-well-formed');
    expect(
      await rule(() =>
        read(`<multistatus xmlns="DAV:">${'<response><href>a</href></response>'.repeat(6)}</multistatus>`, 64, {
          responses: 5,
        }),
      ),
    ).toBe('responses');
    expect(await rule(() => readXml(Buffer.from(`<a>${'<b/>'.repeat(700_000)}</a>`)))).toBe('kept');
  });

  // Bounds on processor time: quadratic work would take minutes, a busy machine must not fail them.
  it('N48 reads a million numeric references in linear time', async () => {
    const spent = cpuTimer();
    const line = `<a xmlns="urn:ietf:params:xml:ns:caldav"><calendar-data>${'&#65;'.repeat(1_000_000)}</calendar-data></a>`;
    expect((await readXml(Buffer.from(line))).children[0]?.text).toHaveLength(1_000_000);
    expect(spent()).toBeLessThan(4_000);
  });

  it('reads ten thousand responses in linear time', async () => {
    const response =
      '<d:response><d:href>/cal/0123456789.ics</d:href><d:propstat><d:prop><d:getetag>"abc"</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>\n';
    const spent = cpuTimer();
    const { responses } = await read(
      `<d:multistatus xmlns:d="DAV:">${response.repeat(10_000)}</d:multistatus>`,
      65_536,
    );
    expect(responses).toHaveLength(10_000);
    expect(spent()).toBeLessThan(4_000);
  });
});

describe('pathIn', () => {
  it.each([
    ['/a/../b', '/b'],
    ['/a/%2e%2e/b', '/b'],
    ['/.hidden', '/.hidden'],
    ['//evil.test/x', null],
    ['/a\\b', '/a/b'],
    ['/a?b', '/a'],
    ['b c', '/cal/b c'],
    ['https://evil.test/', null],
    ['/cal/', '/cal/'],
    ['/', '/'],
  ])('%s is %s', (href, path) => {
    expect(pathIn(href, BASE)).toBe(path);
  });

  it('takes no short cut that the URL parser would not', () => {
    const characters = fc.constantFrom(
      '/',
      '.',
      '%2e',
      '%2F',
      '%',
      'a',
      'é',
      '?',
      '#',
      '\\\\',
      ':',
      '@',
      ' ',
      '_',
      '-',
    );
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 12 }), (parts) => {
        const href = `/${parts.join('')}`;
        const url = URL.parse(href, BASE);
        const expected = url === null || url.origin !== BASE.origin ? null : comparablePath(url.pathname);
        expect(pathIn(href, BASE)).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('innerFailure', () => {
  const wrap = (inner: string) =>
    read(`<multistatus xmlns="DAV:"><response><href>/x</href>${inner}</response></multistatus>`);

  it('finds the status that explains the others', async () => {
    expect(innerFailure(await wrap('<status>HTTP/1.1 412 Precondition Failed</status>'))).toBe(412);
    expect(innerFailure(await wrap('<status>HTTP/1.1 200 OK</status>'))).toBeNull();
    expect(
      innerFailure(
        await wrap(
          '<propstat><prop><a/></prop><status>HTTP/1.1 424</status></propstat><propstat><prop><b/></prop><status>HTTP/1.1 403</status></propstat>',
        ),
      ),
    ).toBe(403);
  });
});
