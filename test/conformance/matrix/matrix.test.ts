// 40 s: events of every kind on five providers, two of them on Radicale.
/** One event of every kind, written through the API (for ICS: by its publisher), reads back equal on every provider. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCalDavSubject } from '../caldav-subject.js';
import { googleSubject } from '../google-subject.js';
import { startIcsSubject } from '../ics-subject.js';
import { microsoftSubject } from '../microsoft-subject.js';
import { openFixture, type Fixture } from '../subject.js';
import { googleAccounts } from '../../support/google-service.js';
import { microsoftAccounts } from '../../support/microsoft-service.js';
import { startSandbox, type Sandbox } from '../../support/sandbox.js';
import { startService, type Answer } from '../../support/service.js';
import { DIFFERENCES, FIELD_DIFFERENCES, type ProviderType } from './differences.js';
import { KINDS, type Kind } from './kinds.js';

const YEARS = { startDateTime: '2035-01-01T00:00:00Z', endDateTime: '2037-01-01T00:00:00Z' };
/** What every calendar has its own of. */
const OWN = ['id', 'etag', 'createdAt', 'updatedAt', 'iCalUid', 'webLink', 'creator', 'recurringEventId'];

const fixtures: Fixture[] = [];
const ends: (() => Promise<void>)[] = [];
let sandbox: Sandbox;

beforeAll(async () => {
  const started = async <Running>(starting: Promise<Running>, stop: (running: Running) => Promise<void>) => {
    const running = await starting;
    ends.push(() => stop(running));
    return running;
  };
  const [caldav, apple, box, ics] = await Promise.all([
    started(openCalDavSubject('radicale', 'CALDAV'), (server) => server.stop()),
    started(openCalDavSubject('radicale', 'APPLE'), (server) => server.stop()),
    started(startSandbox(), (running) => running.stop()),
    started(startIcsSubject(), (running) => running.stop()),
  ]);
  sandbox = box;
  const settings = {
    ...sandbox.env,
    ...caldav.settings,
    ...apple.settings,
    GOOGLE_REQUESTS_PER_MINUTE: '100000',
    MICROSOFT_REQUESTS_PER_MINUTE: '100000',
  };
  const service = await started(startService(settings), (running) => running.stop());
  const subjects = [
    googleSubject(await googleAccounts(sandbox, service)),
    microsoftSubject(await microsoftAccounts(sandbox, service)),
    apple.subject,
    caldav.subject,
  ];
  fixtures.push(...(await Promise.all(subjects.map((subject) => openFixture(subject, service)))));
  fixtures.push(await openFixture(ics.subject, ics.published));
});

afterAll(async () => {
  try {
    await sandbox?.expectNoViolations();
  } finally {
    for (const end of ends.reverse()) await end();
  }
});

describe('one event of every kind on every provider', () => {
  it.each(KINDS.map((kind) => [kind.name, kind] as const))('%s', async (_, kind) => {
    // Nobody is invited to a feed.
    const asked =
      kind.invitation === undefined ? fixtures : fixtures.filter(({ subject }) => subject.providerType !== 'ICS');
    const seen = await Promise.all(asked.map((fixture) => observe(fixture, kind)));
    const comparables = asked.flatMap(({ subject: { name: on, providerType } }, index) => {
      const { refused, gone, ignored, events, starts } = seen[index]!;
      const difference = differenceOf(kind, providerType);
      expect({ on, refused, gone, ignored }).toEqual({
        on,
        refused: difference?.refused ?? null,
        gone: difference?.gone ?? false,
        ignored: difference?.ignored ?? [],
      });
      if (refused !== null || gone) return [];
      const reads = [{ ...kind.reads, ...difference?.reads }];
      if (kind.then?.reads !== undefined) reads.push({ ...kind.then.reads, ...difference?.thenReads });
      expect({ on, events }).toMatchObject({ on, events: reads });
      const occurs = [difference?.occurs ?? kind.occurs, kind.then?.occurs].flatMap((dates) =>
        dates === undefined ? [] : [dates],
      );
      expect({ on, starts }).toEqual({ on, starts: occurs });
      const apart = [...fieldsApart(kind, providerType), ...Object.keys(difference?.reads ?? {})];
      return [{ on, events, apart }];
    });
    // What the kind does not name is the same on all of them, too.
    for (const [index, one] of comparables.entries()) {
      for (const other of comparables.slice(index + 1)) {
        const of = ({ events }: typeof one) => events.map((event) => without(event, [...one.apart, ...other.apart]));
        expect({ on: other.on, events: of(other) }).toEqual({ on: other.on, events: of(one) });
      }
    }
  });

  it('differs nowhere but where the documentation says so', () => {
    const page = readFileSync(
      join(import.meta.dirname, '..', '..', '..', 'docs', 'guides', 'provider-differences.md'),
      'utf8',
    );
    const [common = '', ...sections] = page.split(/^## /m);
    const rowsOf = (text: string) =>
      text.split('\n').map((line) => (line.split('|')[1] ?? '').replaceAll('`', '').trim());
    const names = KINDS.map(({ name }) => name);
    for (const { kind } of DIFFERENCES) expect(names).toContain(kind);
    for (const { row, providers } of [...DIFFERENCES, ...FIELD_DIFFERENCES]) {
      for (const provider of providers) {
        const own = sections.find((section) => section.startsWith(`${provider}\n`)) ?? '';
        expect({ provider, rows: [...rowsOf(common), ...rowsOf(own)] }).toMatchObject({
          rows: expect.arrayContaining([row]),
        });
      }
    }
  });
});

interface Observed {
  /** Why it was not written; null: it was. */
  refused: { status: number; code: string } | null;
  /** It was written, and is in the calendar no more. */
  gone: boolean;
  /** Fields of the writes that were not applied. */
  ignored: string[];
  /** The event, and what a change of a part of it is answered with, as read by their ids. */
  events: Record<string, unknown>[];
  /** Of the instances of these, where they are series. */
  starts: string[][];
}

async function observe(fixture: Fixture, kind: Kind): Promise<Observed> {
  const { call, calendarId } = fixture;
  const made = await make(fixture, kind);
  const seen: Observed = { refused: null, gone: false, ignored: ignoredBy(made), events: [], starts: [] };
  if (made.status !== 200) return { ...seen, refused: { status: made.status, code: made.body.code } };
  const own = await ownAddresses(fixture);
  const look = async (id: string, hasInstances: boolean) => {
    const path = `/${calendarId}/${id}`;
    const { status, body } = await call('GET', 'events', path);
    if (status === 404) return false;
    expect({ kind: kind.name, status, body }).toMatchObject({ status: 200 });
    seen.events.push(comparable(body, own));
    if (!hasInstances) return true;
    const { data } = (await call('GET', 'events', `${path}/occurrences`, { query: { ...YEARS, pageSize: 100 } })).body;
    seen.starts.push(data.map(({ start }: any) => start.date ?? start.dateTime));
    return true;
  };
  const changed = kind.then && (await change(fixture, made.body.id, kind.then));
  if (changed !== undefined) seen.ignored.push(...ignoredBy(changed));
  if (!(await look(made.body.id, kind.occurs !== undefined))) return { ...seen, gone: true };
  if (kind.then?.reads !== undefined) await look(changed!.body.id, kind.then.occurs !== undefined);
  return seen;
}

/** @returns an answer with the event in it; what was answered instead of one */
async function make(fixture: Fixture, kind: Kind): Promise<Answer> {
  const { call, calendarId, subject } = fixture;
  if (kind.invitation !== undefined) {
    const { answer, ...times } = kind.invitation;
    const window = { startDateTime: times.startUtc, endDateTime: times.endUtc };
    const iCalUid = await subject.elsewhere.invite(calendarId, { title: kind.name, ...times });
    const [invitation] = (await fixture.readAll(`/${calendarId}`, { ...window, iCalUid })).items;
    const answered = await call('POST', 'events', `/${calendarId}/${invitation.id}/rsvp`, {
      body: { responseStatus: answer },
    });
    expect(answered.status).toBe(200);
    return { ...answered, body: invitation };
  }
  const event: Record<string, unknown> = { title: kind.name, ...kind.event };
  if (event['generateMeetingUrlProvider'] !== undefined) {
    const { body } = await call('GET', 'calendars', `/${calendarId}`);
    event['generateMeetingUrlProvider'] = body.allowedOnlineMeetingProviders[0] ?? 'hangoutsMeet';
  }
  return call('POST', 'events', `/${calendarId}`, { body: event });
}

async function change(
  { call, calendarId }: Fixture,
  seriesId: string,
  { instance, scope, change: body }: NonNullable<Kind['then']>,
): Promise<Answer> {
  const path = `/${calendarId}/${instance === undefined ? seriesId : `${seriesId}_${instance}`}`;
  const done =
    body === null
      ? await call('DELETE', 'events', path, { query: { scope } })
      : await call('PUT', 'events', path, { query: { scope }, body });
  expect(done).toMatchObject({ status: 200 });
  return done;
}

function ignoredBy({ headers }: Answer): string[] {
  return (headers.get('x-ignored-fields') ?? '').split(', ').filter((field) => field !== '');
}

/** How the account is called in invitations: by itself, or by the calendar. */
async function ownAddresses({ call, service, accountId, calendarId }: Fixture): Promise<string[]> {
  const calendar = await call('GET', 'calendars', `/${calendarId}`);
  const account = await service.call('GET', `/v1/endUserAccounts/${accountId}`);
  return [calendar.body.inviteEmail, calendarId, account.body.email];
}

/**
 * The rest has to be the same on every provider. Guests are compared by address and answer, the account itself as `me`
 * and without who organizes; the lines of a recurrence in any order; meetings by having a link.
 */
function comparable(event: Record<string, any>, own: string[]): Record<string, unknown> {
  const rest = Object.fromEntries(Object.entries(event).filter(([key]) => !OWN.includes(key)));
  const { attendees, conferenceData, recurrence, organizer, description = null, location = null, ...same } = rest;
  const guests = (attendees ?? [])
    .filter(({ email }: any) => email !== organizer?.email)
    .map(({ email, responseStatus }: any) => [own.includes(email) ? 'me' : email, responseStatus])
    .sort();
  return {
    ...same,
    description,
    location,
    recurrence: recurrence?.toSorted() ?? null,
    organizer: { isSelf: organizer?.isSelf },
    ...(guests.length > 0 && { guests }),
    ...(conferenceData && { hasMeeting: /^https:/.test(conferenceData.joinUrl) }),
  };
}

function fieldsApart({ event, invitation }: Kind, providerType: ProviderType): string[] {
  return FIELD_DIFFERENCES.flatMap(({ fields, providers, withGuests }) =>
    providers.includes(providerType) && (withGuests || (event?.['attendees'] === undefined && invitation === undefined))
      ? fields
      : [],
  );
}

function without(event: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(event).filter(([field]) => !fields.includes(field)));
}

function differenceOf(kind: Kind, providerType: ProviderType) {
  return DIFFERENCES.find(({ kind: name, providers }) => name === kind.name && providers.includes(providerType));
}
