import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { FaultAction, FaultMatch } from '../../apps/sandbox/src/faults/fault.js';
import {
  OAUTH_PROVIDERS,
  startOAuthFixture,
  WORDS,
  type OAuthSubject,
  type OAuthFixture,
} from '../support/oauth-subject.js';
import type { CallOptions } from '../support/service.js';
import { Invariants } from './invariants.js';
import { providerView } from './provider-view.js';

let fixture: OAuthFixture;
let invariants: Invariants;

beforeAll(async () => {
  fixture = await startOAuthFixture({ METRICS_PORT: '0' });
  invariants = await Invariants.watching(fixture);
});

afterAll(() => invariants?.expectAll());

afterAll(() => fixture?.stop());

describe.each(OAUTH_PROVIDERS)('F23 what is written at %s and cannot be read back', (providerType) => {
  const { methods } = WORDS[providerType];
  const read: FaultMatch = { methodId: methods.getEvent };
  const FAILURES: [string, FaultAction][] = [
    ['the provider asks to wait', { type: 'status', status: 429, headers: { 'retry-after': '60' } }],
    ['the token is refused', { type: 'status', status: 401 }],
  ];
  let subject: OAuthSubject;
  let ada: { email: string; accountId: string; calendarId: string };
  let runs = 0;

  // The pause that a provider asks for is one of the account.
  beforeEach(async () => {
    subject = fixture[providerType];
    const email = subject.someone();
    ada = { email, ...(await subject.connected(email)) };
    runs += 1;
  });

  afterEach(() => fixture.calm());

  const call = (method: string, id: string, options: CallOptions = {}) =>
    fixture.service.call(method, `/v1/events/${ada.accountId}/${ada.calendarId}${id}`, options);
  const titleOf = (name: string) => `${name} ${providerType} ${runs}`;
  const eventsNamed = (title: string) => providerView(subject).eventsNamed(ada.email, title);
  const marked = (title: string) => ({
    title,
    start: { dateTime: '2027-02-01T09:00:00', timeZone: 'Europe/Berlin' },
    end: { dateTime: '2027-02-01T10:00:00', timeZone: 'Europe/Berlin' },
    publicExtendedProperties: { kind: 'marked' },
  });

  it.each(FAILURES)('is made once when %s', async (_, action) => {
    const title = titleOf('Unread');
    await subject.half.fault(read, action);
    const { status, body: made } = await call('POST', '', { body: marked(title) });
    await subject.half.clearFaults();
    expect(status).toBe(200);
    expect(await eventsNamed(title)).toMatchObject([{ id: made.id }]);
    expect((await call('GET', `/${made.id}`)).body).toEqual(made);
  });

  it.each(FAILURES)('is made once when an answer was lost and %s', async (_, action) => {
    const title = titleOf('Lost and unread');
    await subject.half.fault({ methodId: methods.insertEvent }, { type: 'lose-response' }, { times: 1 });
    await subject.half.fault(read, action);
    const { status, body: made } = await call('POST', '', { body: marked(title) });
    await subject.half.clearFaults();
    expect(status).toBe(200);
    expect(made).toMatchObject({ title, publicExtendedProperties: { kind: 'marked' } });
    expect(await eventsNamed(title)).toMatchObject([{ id: made.id }]);
  });

  it.each(FAILURES)('is changed, and no conflict with itself, when %s', async (_, action) => {
    const before = await call('POST', '', { body: marked(titleOf('Before')) });
    const { id, etag } = before.body;
    const title = titleOf('Unread');
    await subject.half.fault(read, action, { skip: 1 });
    const response = await call('PUT', `/${id}`, {
      body: { title, start: { dateTime: '2027-02-01T08:00:00', timeZone: 'Europe/Berlin' } },
      headers: { 'if-match': etag },
    });
    await subject.half.clearFaults();
    expect(response).toMatchObject({ status: 200, body: { title } });
    expect((await call('GET', `/${id}`)).body).toEqual(response.body);
  });
});
