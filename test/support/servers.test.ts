import { basicAuthorization, type CalDavServer } from './caldav-server.js';
import { startRadicale } from './radicale.js';
import { startSabre } from './sabre.js';
import { startXandikos } from './xandikos.js';

const PRINCIPAL =
  '<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><current-user-principal/></prop></propfind>';

describe.each([
  { name: 'radicale', entry: '', start: startRadicale },
  { name: 'sabre', entry: 'dav.php/', start: startSabre },
  { name: 'xandikos', entry: '', start: startXandikos },
])('the $name that tests run against', ({ entry, start }) => {
  let server: CalDavServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => {
    await server.stop();
    await expect(fetch(server.url)).rejects.toThrow();
  });

  function propfind(password: string): Promise<Response> {
    return fetch(server.url + entry, {
      method: 'PROPFIND',
      headers: {
        authorization: basicAuthorization({ username: server.username, password }),
        'content-type': 'application/xml; charset=utf-8',
        depth: '0',
      },
      body: PRINCIPAL,
    });
  }

  it('answers a PROPFIND with 207 and names the principal', async () => {
    const response = await propfind(server.password);
    expect(response.status).toBe(207);
    expect(await response.text()).toMatch(/current-user-principal>\s*<([\w.-]+:)?href>[\w./]*\/alice/);
  });

  it('refuses a wrong password', async () => {
    const response = await propfind('wrong');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic/);
  });
});
