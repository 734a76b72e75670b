import { clientStateOf, readMicrosoftNotifications } from './channels.js';

const CHANNEL = { channelId: '5f1c2a3e-0000-4000-8000-00000000c001', token: `${'aB3_-'.repeat(8)}xyz` };
const OTHER = { channelId: '5f1c2a3e-0000-4000-8000-00000000c002', token: `${'Zz9-_'.repeat(8)}abc` };

/** As Graph sends it. */
const CHANGE = {
  subscriptionId: 'cccccccc-0000-4000-8000-000000000001',
  subscriptionExpirationDateTime: '2026-11-28T06:40:00+00:00',
  changeType: 'updated',
  resource: 'Users/bbbbbbbb-0000-4000-8000-000000000001/Events/AAkEvt1=',
  resourceData: { '@odata.type': '#Microsoft.Graph.Event', id: 'AAkEvt1=' },
  clientState: clientStateOf(CHANNEL),
  tenantId: 'aaaaaaaa-0000-4000-8000-000000000001',
};
const { changeType: _, resource: __, resourceData: ___, ...ABOUT } = CHANGE;

describe('readMicrosoftNotifications', () => {
  it('has a client state that Graph takes, and that needs no encoding', () => {
    expect(clientStateOf(CHANNEL)).toMatch(/^[\w.-]{80}$/);
  });

  it.each(['created', 'updated', 'deleted'])('reads %s as a change', (changeType) => {
    expect(readMicrosoftNotifications({ value: [{ ...CHANGE, changeType }] })).toEqual([
      { ...CHANNEL, subscriptionId: CHANGE.subscriptionId, kind: 'change' },
    ]);
  });

  it.each([
    ['reauthorizationRequired', 'reauthorize'],
    ['subscriptionRemoved', 'removed'],
    ['missed', 'missed'],
  ])('F32 reads %s', (lifecycleEvent, kind) => {
    expect(readMicrosoftNotifications({ value: [{ ...ABOUT, lifecycleEvent }] })).toEqual([
      { ...CHANNEL, subscriptionId: CHANGE.subscriptionId, kind },
    ]);
  });

  it('reads items of several subscriptions in their order, and passes over those that are none', () => {
    const value = [CHANGE, null, 7, 'x', [], {}, { ...CHANGE, clientState: clientStateOf(OTHER) }];
    expect(readMicrosoftNotifications({ value }).map(({ channelId }) => channelId)).toEqual([
      CHANNEL.channelId,
      OTHER.channelId,
    ]);
  });

  it.each([
    ['no client state', { clientState: undefined }],
    ['a client state of another type', { clientState: [CHANGE.clientState] }],
    ['no token', { clientState: CHANNEL.channelId }],
    ['a short token', { clientState: CHANGE.clientState.slice(0, -1) }],
    ['something behind the token', { clientState: `${CHANGE.clientState}.` }],
    ['a client state of a megabyte', { clientState: '.'.repeat(1_000_000) }],
    ['no subscription', { subscriptionId: undefined }],
    ['a subscription that would lead elsewhere', { subscriptionId: '../me' }],
    ['an endless subscription', { subscriptionId: 'a'.repeat(129) }],
    ['no kind of change', { changeType: undefined }],
    ['a kind of change that is none', { changeType: 'constructor' }],
    ['a lifecycle event that is new', { lifecycleEvent: 'subscriptionMoved' }],
  ])('N45 reads nothing from %s', (_what, wrong) => {
    expect(readMicrosoftNotifications({ value: [{ ...CHANGE, ...wrong }] })).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'value'],
    ['a list', [CHANGE]],
    ['no items', {}],
    ['items that are no list', { value: { 0: CHANGE, length: 1 } }],
    ['items behind the prototype', JSON.parse(`{"__proto__": {"value": [${JSON.stringify(CHANGE)}]}}`)],
  ])('N45 reads nothing from a body that is %s', (_what, body) => {
    expect(readMicrosoftNotifications(body)).toEqual([]);
  });

  it('reads a thousand items and no more', () => {
    expect(readMicrosoftNotifications({ value: Array.from({ length: 5_000 }, () => CHANGE) })).toHaveLength(1_000);
  });
});
