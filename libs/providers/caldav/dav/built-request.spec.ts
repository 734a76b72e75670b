import { davRequest, propfind, syncCollection } from 'tsdav';
import type { DavRequest } from './dav-transport.js';
import { buildPropfind, prefixed, sendBuilt, xmlDestination, xmlText, type Destination } from './built-request.js';
import { XmlReader } from './xml-reader.js';

const URL_ASKED = 'https://dav.example.test/cal/';

/** The request that tsdav makes. */
function built(build: (to: Destination) => Promise<unknown>): Promise<Omit<DavRequest, 'maxBytes'>> {
  return sendBuilt(URL_ASKED, build, (request) => Promise.resolve(request));
}

async function* once(body: DavRequest['body']): AsyncGenerator<Buffer> {
  yield Buffer.from(body ?? '');
}

describe('sendBuilt', () => {
  it('sends method, place, depth and namespaces that tsdav chooses', async () => {
    const { body, ...head } = await built(
      buildPropfind('0', ['{DAV:}getetag', '{http://apple.com/ns/ical/}calendar-color']),
    );
    const headers = { depth: '0', 'content-type': 'application/xml; charset=utf-8' };
    expect(head).toEqual({ method: 'PROPFIND', url: new URL(URL_ASKED), headers });
    const { name, children } = await new XmlReader().read(once(body));
    expect([name, children[0]?.children.map((child) => child.name)]).toEqual([
      '{DAV:}propfind',
      ['{DAV:}getetag', '{http://apple.com/ns/ical/}calendar-color'],
    ]);
  });

  it('sends the same PROPFIND again as it was sent first, and others as they are', async () => {
    const ask = (depth: '0' | '1', name: string) => built(buildPropfind(depth, [name]));
    const first = await ask('0', '{DAV:}owner');
    expect(await ask('0', '{DAV:}owner')).toEqual(first);
    const other = await ask('1', '{DAV:}owner');
    expect(other).toEqual({ ...first, headers: { ...first.headers, depth: '1' } });
    expect((await ask('0', '{DAV:}displayname')).body).toContain('<d:displayname/>');
  });

  it('says the depth of a sync-collection, too', async () => {
    const { headers, body } = await built((to) =>
      syncCollection({ ...xmlDestination(to, '0'), syncToken: '', syncLevel: 1, props: {} }),
    );
    expect(headers).toMatchObject({ depth: '0' });
    const { children } = await new XmlReader().read(once(body));
    expect(children.map(({ name, text }) => [name, text.trim()])).toContainEqual(['{DAV:}sync-token', '']);
  });

  it('gives no type to a request without content', async () => {
    const { headers, body } = await built((to) => davRequest({ ...to, init: { method: 'GET', body: undefined } }));
    expect([headers, body]).toEqual([{}, undefined]);
  });

  it.each(['R&D', 'R&amp;D', '&amp;amp;', '<b>"\'</b> ]]>', 'a\r\nb\rc\n', 'ä 🎉', ' spaces ', '0123', 'true'])(
    'carries the text %j as it is',
    async (text) => {
      const { body } = await built((to) => propfind({ ...to, props: { 'd:displayname': xmlText(text) } }));
      const { children } = await new XmlReader().read(once(body));
      expect(children[0]?.children[0]?.text).toBe(text);
    },
  );

  it('leaves out what XML cannot hold', () => {
    expect(xmlText('a\u0000\u000b\ud800b\uffff')).toBe('ab');
  });

  it('gives the answer, and the error, of the exchange, neither of them to tsdav', async () => {
    const response = { status: 404 };
    let seen: unknown;
    const build = async (to: Destination) => {
      seen = await propfind({ ...to, props: {} });
    };
    expect(await sendBuilt(URL_ASKED, build, () => Promise.resolve(response))).toBe(response);
    expect(seen).toMatchObject([{ status: 207, raw: '' }]);
    const error = new Error('lost');
    await expect(sendBuilt(URL_ASKED, build, () => Promise.reject(error))).rejects.toBe(error);
  });

  it('does not take it for an answer when tsdav makes no request', async () => {
    const build = () => Promise.resolve();
    await expect(sendBuilt(URL_ASKED, build, () => Promise.resolve(1))).rejects.toThrow('tsdav made no request');
  });
});

describe('prefixed', () => {
  it('writes the name as tsdav does', () => {
    expect(prefixed('{urn:ietf:params:xml:ns:caldav}calendar-data')).toBe('c:calendar-data');
    expect(() => prefixed('{http://nextcloud.com/ns}trash-bin')).toThrow(TypeError);
  });
});
