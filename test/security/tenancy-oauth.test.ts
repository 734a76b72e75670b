import { randomUUID } from 'node:crypto';
import { GOOGLE, MICROSOFT } from '../browser/sign-in-subjects.js';
import type { OAuthAccounts } from '../support/oauth-accounts.js';
import { CALENDAR_OPERATIONS, plantWebhooks, REQUESTS, requestOf, type PathIds } from './tenancy-routes.js';

const WITH_ACCOUNT = Object.keys(REQUESTS).filter((name) => name.includes('{endUserAccountId}'));
const WITH_EVENT = WITH_ACCOUNT.filter((name) => name.includes('{eventId}'));
const EVENT = { title: 'Only theirs', start: { dateTime: '2033-01-11T09:00:00Z' } };

describe.each([GOOGLE, MICROSOFT])('N05 ids of another application, of $providerType', (subject) => {
  let provided: OAuthAccounts & { stop(): Promise<void> };
  let mine: PathIds;
  let theirs: PathIds;
  let theirKey: string;

  beforeAll(async () => {
    provided = await subject.start();
    const { service, sandbox } = provided;
    mine = await connected('ada@example.com', service.applicationId, service.apiKey);
    const other = await service.createApplication('second');
    theirKey = other.apiKey;
    await service.ops(
      ...['oauth-client', 'set', '--application', other.applicationId, '--provider', subject.provider],
      ...['--client-id', subject.client.clientId, '--client-secret', subject.client.clientSecret],
    );
    theirs = await connected('grace@example.com', other.applicationId, other.apiKey);
    await subject.half(sandbox).clearRequests();
  });

  afterAll(() => provided?.stop());

  async function connected(email: string, applicationId: string, key: string): Promise<PathIds> {
    const { call } = provided.service;
    await subject.half(provided.sandbox).addUser({ email });
    const { refreshToken } = await subject.half(provided.sandbox).grant(email, subject.client.clientId);
    const body = { email, providerType: subject.providerType, refreshToken };
    const account = await call('POST', '/v1/endUserAccounts', { key, body });
    expect(account.status).toBe(200);
    const endUserAccountId: string = account.body.id;
    const calendars = await call('GET', `/v1/calendars/${endUserAccountId}`, { key });
    const calendarId: string = calendars.body.data[0].id;
    const path = `/v1/events/${endUserAccountId}/${encodeURIComponent(calendarId)}`;
    const event = await call('POST', path, { key, body: EVENT });
    const webhooks = await plantWebhooks(call, key, { endUserAccountId, calendarId });
    return { applicationId, endUserAccountId, calendarId, eventId: event.body.id, ...webhooks };
  }

  async function expectUnknown(name: string, ids: PathIds): Promise<void> {
    const [method, path, parts] = requestOf(name, ids);
    const { status, body } = await provided.service.call(method, path, parts);
    expect([name, status, body.code]).toEqual([name, 404, 'NotFound']);
  }

  async function theirState(): Promise<unknown> {
    const { call } = provided.service;
    const path = `/v1/events/${theirs.endUserAccountId}/${encodeURIComponent(theirs.calendarId)}`;
    const { status, body } = await call('GET', path, { key: theirKey });
    expect(status).toBe(200);
    return body.data;
  }

  it.each(WITH_ACCOUNT)('%s knows no foreign account, and asks nobody for it', async (name) => {
    const requests = () => subject.half(provided.sandbox).requests();
    const before = [await theirState(), (await requests()).length];
    await expectUnknown(name, theirs);
    await expectUnknown(name, { ...theirs, endUserAccountId: randomUUID() });
    const asked = (await requests()).length;
    expect([await theirState(), asked]).toEqual(before);
  });

  it.each(CALENDAR_OPERATIONS)('%s knows no foreign calendar in an account of its own', async (name) => {
    const before = await theirState();
    await expectUnknown(name, { ...mine, calendarId: theirs.calendarId });
    expect(await theirState()).toEqual(before);
  });

  it.each(WITH_EVENT)('%s knows no foreign event in a calendar of its own', async (name) => {
    const before = await theirState();
    await expectUnknown(name, { ...mine, eventId: theirs.eventId });
    expect(await theirState()).toEqual(before);
  });
});
