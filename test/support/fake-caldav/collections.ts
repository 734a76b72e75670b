import { NAMES } from './properties.js';
import { FakeCalendar, type FakeStore } from './store.js';
import type { FakeResponse, FakeSwitches } from './switches.js';
import { CALDAV, child, descendants, errorBody, escapeXml, multistatus, type RequestElement } from './xml.js';

function settings(body: RequestElement | null): RequestElement[] {
  return body === null ? [] : descendants(body, '{DAV:}set').flatMap((set) => child(set, '{DAV:}prop')?.children ?? []);
}

/** What is stored for a property: its text, escaped again. */
function inner(element: RequestElement): string {
  return escapeXml(element.text);
}

/** MKCALENDAR, or MKCOL with a resourcetype (RFC 5689). */
export function makeCalendar(
  store: FakeStore,
  switches: FakeSwitches,
  path: string,
  method: 'MKCALENDAR' | 'MKCOL',
  body: RequestElement | null,
): FakeResponse {
  const mode = method === 'MKCALENDAR' ? switches.mkcalendar : switches.mkcol;
  if (mode !== 'works') return { status: mode };
  if (store.locate(path)?.name === '') return { status: 405, body: errorBody('{DAV:}resource-must-be-null') };
  if (!path.startsWith(store.homePath)) return { status: 409 };
  const calendar = new FakeCalendar(path.endsWith('/') ? path : `${path}/`);
  for (const setting of settings(body)) {
    if (setting.name === NAMES.color && isRejectedColor(switches, setting)) return { status: 400 };
    if (setting.name === `{${CALDAV}}supported-calendar-component-set`) {
      calendar.components = setting.children.map(({ attributes }) => attributes.name ?? '');
    } else if (setting.name !== NAMES.resourceType && !switches.creationIgnores.includes(setting.name)) {
      calendar.properties.set(setting.name, inner(setting));
    }
  }
  store.calendars.set(calendar.path, calendar);
  return { status: 201 };
}

/** All or nothing (RFC 4918 §9.2): one refused property makes 424 of the others. */
export function patchProperties(
  calendar: FakeCalendar,
  switches: FakeSwitches,
  href: string,
  body: RequestElement | null,
): FakeResponse {
  const wanted = settings(body);
  const refusals = new Map(
    wanted.flatMap((setting): [string, number][] => {
      const status = isRejectedColor(switches, setting) ? 409 : switches.proppatchRefuses[setting.name];
      return status === undefined || status === 200 ? [] : [[setting.name, status]];
    }),
  );
  const properties = wanted.map(({ name }) => {
    const status = refusals.get(name) ?? (refusals.size > 0 ? 424 : 200);
    return { name, xml: '', status };
  });
  if (refusals.size === 0) {
    for (const setting of wanted) {
      if (switches.proppatchRefuses[setting.name] !== 200) calendar.properties.set(setting.name, inner(setting));
    }
  }
  return { status: 207, body: multistatus([{ href, properties }], switches.xmlStyle) };
}

function isRejectedColor(switches: FakeSwitches, setting: RequestElement): boolean {
  return switches.strictColor && setting.name === NAMES.color && !/^#[0-9A-F]{8}$/.test(setting.text);
}
