import { createHash } from 'node:crypto';

export interface FakeObject {
  body: string;
  etag: string;
  scheduleTag: string;
  lastModified: Date;
}

/** Properties of a collection: `{namespace}local` → inner XML. */
export type FakeProperties = Map<string, string>;

/** One calendar collection: its objects and, for sync tokens, its history. */
export class FakeCalendar {
  readonly properties: FakeProperties = new Map();
  readonly objects = new Map<string, FakeObject>();
  /** Names in the order they changed; the revision is the index after the change. */
  readonly history: string[] = [];
  /** Tokens below this revision are refused. */
  oldestRevision = 0;
  resourceTypes = ['{DAV:}collection', '{urn:ietf:params:xml:ns:caldav}calendar'];
  privileges = ['{DAV:}read', '{DAV:}write', '{DAV:}bind', '{DAV:}unbind'];
  components: string[] | null = ['VEVENT'];
  ownerHref: string | null = null;

  /** @param path percent-encoded, with trailing slash, as the server writes it */
  constructor(readonly path: string) {}

  get revision(): number {
    return this.history.length;
  }

  put(name: string, body: string): FakeObject {
    this.history.push(name);
    const etag = `"${createHash('sha1').update(`${this.path}${name}${this.revision}${body}`).digest('hex')}"`;
    const object = { body, etag, scheduleTag: `"s-${this.revision}"`, lastModified: new Date() };
    this.objects.set(name, object);
    return object;
  }

  remove(name: string): boolean {
    if (!this.objects.delete(name)) return false;
    this.history.push(name);
    return true;
  }

  /** Names changed after a revision, each once, oldest change first; `limit` counts names. */
  changesSince(revision: number, limit: number): { names: string[]; revision: number; isCut: boolean } {
    const names = new Set<string>();
    let position = revision;
    for (; position < this.history.length; position += 1) {
      const name = this.history[position] ?? '';
      if (!names.has(name) && names.size === limit) return { names: [...names], revision: position, isCut: true };
      names.add(name);
    }
    return { names: [...names], revision: position, isCut: false };
  }

  /** Unfolds and compares the UID property. */
  findByUid(uid: string): string | undefined {
    for (const [name, { body }] of this.objects) {
      const lines = body.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/);
      if (lines.includes(`UID:${uid}`)) return name;
    }
    return undefined;
  }
}

/** The calendars below a home, by path. */
export class FakeStore {
  readonly calendars = new Map<string, FakeCalendar>();

  constructor(readonly homePath: string) {}

  addCalendar(segment: string, displayName?: string): FakeCalendar {
    const calendar = new FakeCalendar(`${this.homePath}${segment}/`);
    if (displayName !== undefined) calendar.properties.set('{DAV:}displayname', displayName);
    this.calendars.set(calendar.path, calendar);
    return calendar;
  }

  /** The calendar and the object name of a path, compared percent-decoded. */
  locate(path: string): { calendar: FakeCalendar; name: string } | null {
    const decoded = decodePath(path);
    for (const calendar of this.calendars.values()) {
      const base = decodePath(calendar.path);
      if (decoded === base || `${decoded}/` === base) return { calendar, name: '' };
      if (decoded.startsWith(base) && !decoded.slice(base.length).includes('/')) {
        return { calendar, name: decoded.slice(base.length) };
      }
    }
    return null;
  }
}

export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
