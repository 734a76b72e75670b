import { deliveryHeaders, lastingHeaders } from './sender.js';

const signature = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' };
const identity = { webhookSubscriptionId: 'subscription', endUserAccountId: 'account', calendarId: 'calendar' };

describe('deliveryHeaders', () => {
  it('say what it is, who signed it and whom it is about', () => {
    expect(deliveryHeaders(signature, identity)).toEqual({
      'content-type': 'application/json',
      'user-agent': 'unified-calendar-webhooks',
      'accept-encoding': 'identity',
      ...signature,
      'x-webhook-subscription-id': 'subscription',
      'x-end-user-account-id': 'account',
      'x-calendar-id': 'calendar',
    });
  });

  it('leave out what a message is not about', () => {
    const nothing = { webhookSubscriptionId: null, endUserAccountId: null, calendarId: null };
    expect(Object.keys(deliveryHeaders(signature, nothing)).filter((name) => name.startsWith('x-'))).toEqual([]);
  });

  it.each([
    ['en.german#holiday@group.v.calendar.google.com', 'en.german#holiday@group.v.calendar.google.com'],
    ['AAMkAGI2%TG9_-AAA=', 'AAMkAGI2%TG9_-AAA='],
    ['a\r\nx-evil: 1', 'a%0D%0Ax-evil:%201'],
    ['ü📅\ud800', '%C3%BC%F0%9F%93%85%EF%BF%BD'],
  ])('carry the calendar id %j', (calendarId, header) =>
    expect(deliveryHeaders(signature, { ...identity, calendarId })['x-calendar-id']).toBe(header),
  );
});

describe('lastingHeaders', () => {
  it('are those of every attempt, without what each of them is signed with', () => {
    const { 'webhook-timestamp': _, 'webhook-signature': __, ...lasting } = deliveryHeaders(signature, identity);
    expect(lastingHeaders(signature['webhook-id'], identity)).toEqual(lasting);
  });
});
