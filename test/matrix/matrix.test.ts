/** One event of every kind, written through the API on each provider, reads back equal on all four. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCalDavSubject } from '../conformance/caldav-subject.js';
import { googleSubject } from '../conformance/google-subject.js';
import { openWorld, type World } from '../conformance/subject.js';
import { googleAccounts } from '../support/google-service.js';
import { startSandbox, type Sandbox } from '../support/sandbox.js';
import { startService, type Service } from '../support/service.js';
import { DIFFERENCES, FIELD_DIFFERENCES, type ProviderType } from './differences.js';
import { KINDS, type Kind } from './kinds.js';

const YEARS = { startDateTime: '2035-01-01T00:00:00Z', endDateTime: '2037-01-01T00:00:00Z' };
/** What every calendar has its own of. */
const OWN = ['id', 'etag', 'createdAt', 'updatedAt', 'iCalUid', 'webLink', 'creator', 'recurringEventId'];

const worlds: World[] = [];
const ends: (() => Promise<void>)[] = [];
let sandbox: Sandbox;

beforeAll(async () => {
  const caldav = await openCalDavSubject('radicale', 'CALDAV');
  ends.push(caldav.stop);
  const apple = await openCalDavSubject('radicale', 'APPLE');
  ends.push(apple.stop);
  sandbox = await startSandbox();
  ends.push(() => sandbox.stop());
  const service: Service = await startService({
    ...sandbox.env,
    ...caldav.settings,
    ...apple.settings,
    GOOGLE_REQUESTS_PER_MINUTE: '100000',
  });
  ends.push(() => service.stop());
  const subjects = [googleSubject(await googleAccounts(sandbox, service)), apple.subject, caldav.subject];
  for (const subject of subjects) worlds.push(await openWorld(subject, service));
}, 120_000);

afterAll(async () => {
  try {
    await sandbox?.expectNoViolations();
  } finally {
    for (const end of ends.reverse()) await end();
  }
}, 60_000);

describe('one event of every kind on every provider', () => {
  it.each(KINDS.map((kind) => [kind.name, kind] as const))('%s', async (_, kind) => {
    const seen = await Promise.all(worlds.map((world) => observe(world, kind)));
    for (const [index, { subject }] of worlds.entries()) {
      const { answer, event, starts } = seen[index]!;
      const difference = differenceOf(kind, subject.providerType);
      expect({ on: subject.name, answer }).toEqual({ on: subject.name, answer: difference?.refused ?? null });
      if (answer !== null) continue;
      expect({ on: subject.name, event }).toMatchObject({
        on: subject.name,
        event: { ...kind.reads, ...difference?.reads },
      });
      if (kind.occurs !== undefined)
        expect({ on: subject.name, starts }).toEqual({ on: subject.name, starts: kind.occurs });
    }
    // What the kind does not name is the same, too, on all that have nothing to say for themselves.
    const equals = worlds.flatMap(({ subject: { name, providerType } }, index) =>
      differenceOf(kind, providerType) ? [] : [{ name, providerType, event: seen[index]!.event! }],
    );
    for (const [index, one] of equals.entries()) {
      for (const other of equals.slice(index + 1)) {
        const apart = [one, other].flatMap(({ providerType }) => fieldsApart(kind, providerType));
        expect({ on: other.name, event: without(other.event, apart) }).toEqual({
          on: other.name,
          event: without(one.event, apart),
        });
      }
    }
  });

  it('differs nowhere but where the documentation says so', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'provider-differences.md'), 'utf8');
    const rows = page.split('\n').map((line) => (line.split('|')[1] ?? '').replaceAll('`', '').trim());
    const names = KINDS.map(({ name }) => name);
    for (const { kind } of DIFFERENCES) expect(names).toContain(kind);
    for (const { row } of [...DIFFERENCES, ...FIELD_DIFFERENCES]) expect(rows).toContain(row);
  });
});

interface Observed {
  /** Why it was not written; null: it was. */
  answer: { status: number; code: string } | null;
  /** As read by its id, without what every calendar has its own of. */
  event?: Record<string, unknown>;
  /** Of the instances, of a series. */
  starts?: string[];
}

async function observe(world: World, kind: Kind): Promise<Observed> {
  const { call, calendarId } = world;
  const made = await make(world, kind);
  if (typeof made !== 'string') return { answer: made };
  const path = `/${calendarId}/${made}`;
  if (kind.then !== undefined) {
    const { instance, change } = kind.then;
    const done =
      change === null
        ? await call('DELETE', 'events', `${path}_${instance}`)
        : await call('PUT', 'events', `${path}_${instance}`, { body: change });
    expect(done.status).toBe(200);
  }
  const { status, body } = await call('GET', 'events', path, { query: { timeZone: undefined } });
  expect({ kind: kind.name, status }).toEqual({ kind: kind.name, status: 200 });
  const occurrences =
    kind.occurs && (await call('GET', 'events', `${path}/occurrences`, { query: { ...YEARS, pageSize: 100 } }));
  return {
    answer: null,
    event: comparable(body, await ownAddresses(world)),
    ...(occurrences && { starts: occurrences.body.data.map(({ start }: any) => start.date ?? start.dateTime) }),
  };
}

/** @returns the id of the event; what was answered instead of one */
async function make(world: World, kind: Kind): Promise<string | { status: number; code: string }> {
  const { call, calendarId, subject } = world;
  if (kind.invitation !== undefined) {
    const { answer, ...times } = kind.invitation;
    const iCalUid = await subject.elsewhere.invite(calendarId, { title: kind.name, ...times });
    const [invitation] = (await world.readAll(`/${calendarId}`, { ...YEARS, iCalUid })).items;
    const answered = await call('POST', 'events', `/${calendarId}/${invitation.id}/rsvp`, {
      body: { responseStatus: answer },
    });
    expect(answered.status).toBe(200);
    return invitation.id;
  }
  const event: Record<string, unknown> = { title: kind.name, ...kind.event };
  if (event['generateMeetingUrlProvider'] !== undefined) {
    const { body } = await call('GET', 'calendars', `/${calendarId}`);
    event['generateMeetingUrlProvider'] = body.allowedOnlineMeetingProviders[0] ?? 'hangoutsMeet';
  }
  const { status, body } = await call('POST', 'events', `/${calendarId}`, { body: event });
  return status === 200 ? body.id : { status, code: body.code };
}

/** How the account is called in invitations: by itself, or by the calendar. */
async function ownAddresses({ call, service, accountId, calendarId }: World): Promise<string[]> {
  const calendar = await call('GET', 'calendars', `/${calendarId}`);
  const account = await service.call('GET', `/v1/endUserAccounts/${accountId}`);
  return [calendar.body.inviteEmail, calendarId, account.body.email];
}

/**
 * The rest has to be the same on every provider. Guests are compared by address and answer, the account itself as `me`,
 * and rules by their parts, whose order means nothing (RFC 5545 §3.3.10).
 */
function comparable(event: Record<string, any>, own: string[]): Record<string, unknown> {
  const rest = Object.fromEntries(Object.entries(event).filter(([key]) => !OWN.includes(key)));
  const { attendees, conferenceData, recurrence, organizer, ...same } = rest;
  const guests = (attendees ?? [])
    .filter(({ email }: any) => !organizer?.isSelf || email !== organizer.email)
    .map(({ email, responseStatus }: any) => [own.includes(email) ? 'me' : email, responseStatus])
    .sort();
  return {
    ...same,
    recurrence: recurrence?.map((line: string) => line.split(/[:;]/).sort().join(' ')).sort() ?? null,
    organizer: { isSelf: organizer?.isSelf },
    ...(guests.length > 0 && { guests }),
    ...(conferenceData && { conferenceData: { joinUrl: conferenceData.joinUrl } }),
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
