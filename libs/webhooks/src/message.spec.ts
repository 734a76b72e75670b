import { accountMessage, calendarMessage, CALENDAR_EVENT_TYPES, testMessage, type CalendarChange } from './message.js';

const UUID = '01933f5e-8a00-7000-8000-000000000001';

const change = (more: Partial<CalendarChange> = {}): CalendarChange => ({
  eventType: 'calendar.event.changed',
  changeDetectedAt: new Date('2026-11-21T12:00:00.5Z'),
  endUserAccountId: 'account',
  calendarId: 'calendar',
  webhookSubscriptionId: 'subscription',
  providerType: 'GOOGLE',
  ...more,
});

describe('messages', () => {
  it.each(CALENDAR_EVENT_TYPES)('W16 tell of %s its type and time, and nothing else', (eventType) => {
    const { body, ...message } = calendarMessage(UUID, change({ eventType }));
    expect(body.toString()).toBe(`{"eventType":"${eventType}","timestamp":"2026-11-21T12:00:00.500Z"}`);
    expect(message).toEqual({ id: expect.stringMatching(/^msg_[0-9A-Za-z]{22}$/), eventType });
  });

  it('name in addition whose calendar it is, for applications that opted in', () => {
    const { body } = calendarMessage(UUID, change({ calendarId: 'a"b\u2028ü' }), { isEnriched: true });
    expect(JSON.parse(body.toString())).toEqual({
      eventType: 'calendar.event.changed',
      timestamp: '2026-11-21T12:00:00.500Z',
      endUserAccountId: 'account',
      calendarId: 'a"b\u2028ü',
      webhookSubscriptionId: 'subscription',
      providerType: 'GOOGLE',
    });
  });

  it('tell of accounts what the outbox holds', () => {
    const payload = {
      eventType: 'enduseraccount.updated',
      timestamp: '2026-11-21T12:00:00.500Z',
      endUserAccountId: 'account',
      externalId: 'user \u{1f4c5}\ud800',
      providerType: 'CALDAV',
      status: 'EXPIRED',
      reason: 'password_rejected',
    };
    const { eventType, body } = accountMessage(UUID, { eventType: 'enduseraccount.updated', payload });
    expect(eventType).toBe('enduseraccount.updated');
    expect(JSON.parse(body.toString())).toEqual(payload);
  });

  it('have the same id for the same UUID, another one for another', () => {
    const ids = [UUID, UUID, UUID.replace(/1$/, '2')].map((uuid) => calendarMessage(uuid, change()).id);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).not.toBe(ids[2]);
  });

  it('of a test say that they are one', () => {
    const { body, eventType } = testMessage(UUID, new Date('2026-11-21T12:00:00.5Z'));
    expect(eventType).toBe('webhook.test');
    expect(body.toString()).toBe('{"eventType":"webhook.test","timestamp":"2026-11-21T12:00:00.500Z"}');
  });
});
