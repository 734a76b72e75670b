import type { OAuthSubject } from '../support/oauth-subject.js';

/** An event in somebody's primary calendar, as the provider has it. */
interface HeldEvent {
  id: string;
  /** By the email of the guest, in the provider's words. */
  responses: Record<string, string>;
}

interface HeldCalendar {
  id: string;
  name: string;
  description?: string;
}

/** What a provider holds, past the service. */
export interface ProviderView {
  events(email: string): Promise<Titled[]>;
  eventsNamed(email: string, title: string): Promise<HeldEvent[]>;
  /** Id of a guest's copy of the one event with this title. */
  copyOf(email: string, title: string): Promise<string>;
  calendarsNamed(email: string, name: string): Promise<HeldCalendar[]>;
}

export function providerView(subject: OAuthSubject): ProviderView {
  const events = subject.providerType === 'GOOGLE' ? googleEvents : outlookEvents;
  const calendars = subject.providerType === 'GOOGLE' ? googleCalendars : outlookCalendars;
  const eventsNamed = async (email: string, title: string) =>
    (await events(subject, email)).filter((event) => event.title === title);
  return {
    events: (email) => events(subject, email),
    eventsNamed,
    async copyOf(email, title) {
      const [copy] = await eventsNamed(email, title);
      if (copy === undefined) throw new Error(`${email} has no copy of ${title}`);
      return copy.id;
    },
    calendarsNamed: async (email, name) =>
      (await calendars(subject, email)).filter((calendar) => calendar.name === name),
  };
}

type Titled = HeldEvent & { title: string };

async function googleEvents({ half }: OAuthSubject, email: string): Promise<Titled[]> {
  const { body } = await half.act({
    email,
    methodId: 'calendar.events.list',
    path: { calendarId: 'primary' },
    query: { maxResults: 2_500 },
  });
  return body.items.map(({ id, summary, attendees = [] }: any) => ({
    ...{ id, title: summary },
    responses: Object.fromEntries(attendees.map((guest: any) => [guest.email, guest.responseStatus])),
  }));
}

async function outlookEvents({ half }: OAuthSubject, email: string): Promise<Titled[]> {
  const { body } = await half.act({ email, methodId: 'list_me_calendar_events', query: { $top: 1_000 } });
  return body.value.map(({ id, subject, attendees = [] }: any) => ({
    ...{ id, title: subject },
    responses: Object.fromEntries(
      attendees.map(({ emailAddress, status }: any) => [emailAddress.address, status.response]),
    ),
  }));
}

async function googleCalendars({ half }: OAuthSubject, email: string): Promise<HeldCalendar[]> {
  const { body } = await half.act({ email, methodId: 'calendar.calendarList.list' });
  return body.items.map(({ id, summary, description }: any) => ({ id, name: summary, description }));
}

async function outlookCalendars({ half }: OAuthSubject, email: string): Promise<HeldCalendar[]> {
  const { body } = await half.act({ email, methodId: 'list_me_calendars', query: { $top: 100 } });
  return body.value.map(({ id, name }: any) => ({ id, name }));
}
