import { readGooglePush } from './channels.js';

const CHANNEL = '5f1c2a3e-0000-4000-8000-00000000c001';
const TOKEN = 'aB3_-'.repeat(8) + 'xyz';

/** As Google sends them. */
const HEADERS = {
  'content-length': '0',
  'user-agent': 'APIs-Google; (+https://developers.google.com/webmasters/APIs-Google.html)',
  'x-goog-channel-id': CHANNEL,
  'x-goog-channel-token': TOKEN,
  'x-goog-channel-expiration': 'Fri, 27 Nov 2026 18:40:00 GMT',
  'x-goog-resource-id': 'rEs0urceFixture001',
  'x-goog-resource-uri': 'https://www.googleapis.com/calendar/v3/calendars/mara.field@example.com/events?alt=json',
  'x-goog-resource-state': 'exists',
  'x-goog-message-number': '4711',
};

describe('readGooglePush', () => {
  it.each([
    ['sync', 'sync'],
    ['exists', 'change'],
    ['not_exists', 'gone'],
  ])('reads %s', (state, kind) => {
    expect(readGooglePush({ ...HEADERS, 'x-goog-resource-state': state })).toEqual({
      channelId: CHANNEL,
      token: TOKEN,
      kind,
    });
  });

  it('needs nothing but the channel, its token and a state', () => {
    const { 'x-goog-channel-id': id, 'x-goog-channel-token': token, 'x-goog-resource-state': state } = HEADERS;
    expect(
      readGooglePush({ 'x-goog-channel-id': id, 'x-goog-channel-token': token, 'x-goog-resource-state': state }),
    ).toMatchObject({ kind: 'change' });
  });

  it.each([
    ['no channel', { 'x-goog-channel-id': undefined }],
    ['a channel that is no UUID', { 'x-goog-channel-id': 'channel-1' }],
    ['a UUID in capitals', { 'x-goog-channel-id': CHANNEL.toUpperCase() }],
    ['a channel with something behind it', { 'x-goog-channel-id': `${CHANNEL}\n` }],
    ['two channels', { 'x-goog-channel-id': `${CHANNEL}, ${CHANNEL}` }],
    ['a list of channels', { 'x-goog-channel-id': [CHANNEL] }],
    ['no token', { 'x-goog-channel-token': undefined }],
    ['a short token', { 'x-goog-channel-token': TOKEN.slice(1) }],
    ['a token of 15,000 characters', { 'x-goog-channel-token': 'a'.repeat(15_000) }],
    ['a token in another alphabet', { 'x-goog-channel-token': `${TOKEN.slice(1)}/` }],
    ['no state', { 'x-goog-resource-state': undefined }],
    ['a state that is none', { 'x-goog-resource-state': '__proto__' }],
  ])('N44 reads nothing from %s', (_, headers) => {
    expect(readGooglePush({ ...HEADERS, ...headers })).toBeNull();
  });
});
