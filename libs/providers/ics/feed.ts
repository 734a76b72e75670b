import { Pace } from '#platform/event-loop';
import { ianaZone, IcsDocument, parseDuration } from '#icalendar';
import { hexColorOf } from '#providers/caldav';
import { sortedById } from '#providers/kit/sync';
import { readFeedText, type FeedComponent, type FeedText } from './feed-text.js';
import { shortHash } from './feed-url.js';

/** Identifies an event across downloads by UID, or by its content where the feed renews its UIDs in each download. */
export type Identity = 'uid' | 'content';

export interface FeedObject {
  /** {@link OBJECT_ID_LENGTH} characters. */
  id: string;
  /** Changes with any visible content, but not with what exporters renew. */
  version: string;
  /** Epoch milliseconds. */
  startMs: number;
  endMs: number;
  parts: FeedComponent[];
}

/** Content hash → UID hash of a small sample of events, to compare with another download. */
export type UidSample = Readonly<Record<string, string>>;

export const OBJECT_ID_LENGTH = 22;
const SAMPLE_SIZE = 16;
/** Memory of one event besides its text. */
const BYTES_OF_EVENT = 500;

export class Feed {
  private constructor(
    private readonly source: FeedText,
    readonly identity: Identity,
    /** In bytewise order of ids. */
    readonly objects: readonly FeedObject[],
    readonly sample: UidSample,
    readonly version: string,
    readonly facts: FeedFacts,
  ) {}

  /** @throws FeedError for a text that is no calendar, or an incomplete one */
  static async read(octets: Buffer, identity: Identity): Promise<Feed> {
    return Feed.from(await readFeedText(octets.toString('latin1')), identity);
  }

  private static async from(source: FeedText, identity: Identity): Promise<Feed> {
    const pace = new Pace();
    const objects = await sortedById(await identified(source.components, identity, pace), pace);
    let versions = identity;
    for (const { id, version } of objects) versions += `${id}${version}`;
    return new Feed(source, identity, objects, await sampleOf(objects, pace), shortHash(versions, 22), factsOf(source));
  }

  as(identity: Identity): Promise<Feed> {
    return Feed.from(this.source, identity);
  }

  get bytes(): number {
    return this.source.text.length + this.source.components.length * BYTES_OF_EVENT;
  }

  find(id: string): FeedObject | null {
    const { objects } = this;
    const found = objects[lowerBound(objects, id)];
    return found?.id === id ? found : null;
  }

  *objectsFrom(id: string, { startMs, endMs }: { startMs: number | null; endMs: number | null }): Iterable<FeedObject> {
    const { objects } = this;
    for (let index = lowerBound(objects, id); index < objects.length; index += 1) {
      const object = objects[index]!;
      if ((endMs === null || object.startMs < endMs) && (startMs === null || object.endMs > startMs)) yield object;
    }
  }

  /** Returns an object as a calendar object resource of its own (RFC 4791 §4.1). */
  textOf({ id, parts }: FeedObject): Buffer {
    const events = parts.map((part) => this.eventText(part, id)).join('');
    const zones = [...this.zonesOf(events)].join('');
    return Buffer.from(`BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${zones}${events}END:VCALENDAR\r\n`, 'latin1');
  }

  private eventText({ start, end, uid, isCancelled }: FeedComponent, id: string): string {
    const text = this.source.text.slice(start, end);
    const more = `${uid === '' ? `UID:${id}\r\n` : ''}${isCancelled ? 'STATUS:CANCELLED\r\n' : ''}`;
    const whole = more === '' ? text : text.replace('\n', `\n${more}`);
    return /^END:VEVENT\s*$/im.test(whole.slice(-64)) ? asLine(whole) : `${asLine(whole)}END:VEVENT\r\n`;
  }

  private *zonesOf(events: string): Iterable<string> {
    const { zones } = this.source;
    if (zones.size === 0 || !/TZID/i.test(events)) return;
    const unfolded = events.replaceAll(/\r?\n[ \t]/g, '');
    for (const [tzid, text] of zones) if (unfolded.includes(tzid)) yield asLine(text);
  }
}

export interface FeedFacts {
  name: string | null;
  hexColor: string | null;
  /** IANA id. */
  timeZone: string | null;
  /** Refresh interval that the feed suggests. */
  refreshMs: number | null;
}

function factsOf({ head, zones }: FeedText): FeedFacts {
  const document = IcsDocument.parse(Buffer.from(`BEGIN:VCALENDAR\r\n${head}END:VCALENDAR\r\n`, 'latin1'));
  const calendar = document.calendars[0];
  const first = (...names: string[]): string | null => {
    for (const name of names) {
      const value = calendar?.property(name)?.value.trim();
      if (value) return value;
    }
    return null;
  };
  const [onlyZone, ...otherZones] = zones.keys();
  const zone = first('X-WR-TIMEZONE', 'TIMEZONE-ID') ?? (otherZones.length === 0 ? onlyZone : undefined);
  const refresh = parseDuration(first('REFRESH-INTERVAL', 'X-PUBLISHED-TTL') ?? '');
  return {
    name:
      first('NAME', 'X-WR-CALNAME')
        ?.replaceAll(/\\([,;\\])/g, '$1')
        .slice(0, 255) ?? null,
    hexColor: hexColorOf(first('COLOR', 'X-APPLE-CALENDAR-COLOR') ?? ''),
    timeZone: zone === undefined || zone === null ? null : ianaZone(zone),
    refreshMs: refresh === null ? null : (refresh.days * 86_400 + refresh.seconds) * 1_000,
  };
}

/** Whether all events in both downloads have another UID in each. */
export function hasRenewedUids(before: UidSample, after: UidSample): boolean {
  const common = Object.keys(after).filter((likeness) => Object.hasOwn(before, likeness));
  return common.length > 0 && common.every((likeness) => before[likeness] !== after[likeness]);
}

async function identified(components: readonly FeedComponent[], identity: Identity, pace: Pace): Promise<FeedObject[]> {
  const groups = new Map<string, FeedComponent[]>();
  const nameless: FeedComponent[][] = [];
  for (const component of components) {
    await pace.step();
    const group = groups.get(component.uid);
    if (component.uid === '') nameless.push([component]);
    else if (group === undefined) groups.set(component.uid, [component]);
    else group.push(component);
  }
  const objects: FeedObject[] = [];
  const alike = new Map<string, FeedComponent[][]>();
  const byContent = (parts: FeedComponent[]) => {
    const { likeness } = parts[0]!;
    const others = alike.get(likeness);
    if (others === undefined) alike.set(likeness, [parts]);
    else others.push(parts);
  };
  for (const [uid, group] of groups) {
    await pace.step();
    const several = distinctEvents(group);
    for (const parts of several) {
      if (identity === 'content') byContent(parts);
      else objects.push(objectOf(several.length === 1 ? ['uid', uid] : ['uid', uid, parts[0]!.likeness], parts));
    }
  }
  nameless.forEach(byContent);
  for (const [likeness, several] of alike) {
    await pace.step();
    several.sort(([one], [other]) => (one!.version < other!.version ? -1 : 1));
    several.forEach((parts, index) => objects.push(objectOf(['content', likeness, index], parts)));
  }
  return objects;
}

/**
 * Events of one UID, each followed by its changed instances. A repeated UID is an older version, a copy, or a mistake
 * of an exporter that gives it to several events, which are all shown.
 */
function distinctEvents(group: readonly FeedComponent[]): FeedComponent[][] {
  if (group.length === 1) return [[...group]];
  const masters = group.filter(({ isOverride }) => !isOverride);
  const overrides = group.filter(({ isOverride }) => isOverride);
  const newest = Math.max(...masters.map(({ sequence }) => sequence));
  const distinct = new Map(
    masters.filter(({ sequence }) => sequence === newest).map((master) => [master.likeness, master]),
  );
  const [first, ...others] = distinct.values();
  return [[...(first === undefined ? [] : [first]), ...overrides], ...others.map((other) => [other])];
}

function objectOf(identity: (string | number)[], parts: FeedComponent[]): FeedObject {
  const versions = parts.map(({ version, isCancelled }) => `${version}${isCancelled ? '-' : ''}`);
  return {
    id: shortHash(JSON.stringify(identity), OBJECT_ID_LENGTH),
    version: versions.length === 1 ? versions[0]! : shortHash(versions.join(' '), 12),
    startMs: parts.reduce((ms, part) => Math.min(ms, part.startMs), Number.POSITIVE_INFINITY),
    endMs: parts.reduce((ms, part) => Math.max(ms, part.endMs), Number.NEGATIVE_INFINITY),
    parts,
  };
}

/** Samples the lowest hashes: most of them stay in the next download, whatever was added or removed. */
async function sampleOf(objects: readonly FeedObject[], pace: Pace): Promise<UidSample> {
  const uids = new Map<string, string | null>();
  for (const { parts } of objects) {
    await pace.step();
    const { likeness, uid } = parts[0]!;
    if (uid !== '') uids.set(likeness, uids.has(likeness) ? null : uid);
  }
  const lowest: [likeness: string, uid: string][] = [];
  for (const [likeness, uid] of uids) {
    const last = lowest.at(-1);
    // A repeated event has no UID of its own.
    if (uid === null || (lowest.length === SAMPLE_SIZE && last !== undefined && likeness > last[0])) continue;
    lowest.push([likeness, uid]);
    lowest.sort(([one], [other]) => (one < other ? -1 : 1));
    lowest.length = Math.min(lowest.length, SAMPLE_SIZE);
  }
  return Object.fromEntries(lowest.map(([likeness, uid]) => [likeness, shortHash(uid, 10)]));
}

function lowerBound(objects: readonly FeedObject[], id: string): number {
  let low = 0;
  let high = objects.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (objects[middle]!.id < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function asLine(text: string): string {
  return text.endsWith('\n') ? text : `${text}\r\n`;
}
