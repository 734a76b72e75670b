import type { Call, GraphResponse } from '../contract.js';
import type { Calendars } from './calendars.js';
import type { DeltaReader } from './delta-reader.js';
import type { EventReader } from './event-reader.js';
import type { EventWriter } from './event-writer.js';
import { mailboxSettings, me, type Schedules } from './mailbox.js';
import type { Subscriptions } from './subscriptions.js';

/** One operation of the OpenAPI document, with its path. */
export interface CalendarOperation {
  /** Template below `/v1.0`. */
  path: string;
  isAnyOwn: boolean;
  run: (call: Call) => GraphResponse | Promise<GraphResponse>;
}

interface Services {
  calendars: Calendars;
  reader: EventReader;
  writer: EventWriter;
  delta: DeltaReader;
  schedules: Schedules;
  subscriptions: Subscriptions;
}

/** The three paths of events. */
const ROOTS = [
  { name: 'me', path: '/me' },
  { name: 'me_calendar', path: '/me/calendar' },
  { name: 'me_calendars_By_calendar_id', path: '/me/calendars/{calendar-id}' },
];

/** Supported operations by their id in the OpenAPI document. */
export function operationsOf(services: Services): ReadonlyMap<string, CalendarOperation> {
  const { calendars, reader, writer, delta, schedules, subscriptions } = services;
  const operations = new Map<string, CalendarOperation>();
  const offer = (id: string, path: string, run: CalendarOperation['run'], isAnyOwn = false): void => {
    operations.set(id, { path, run, isAnyOwn });
  };
  for (const { name, path } of ROOTS) {
    const events = `${name}_events`;
    offer(`list_${events}`, `${path}/events`, (call) => reader.list(call));
    offer(`create_${events}`, `${path}/events`, (call) => writer.create(call));
    offer(`list_${name}_calendarView`, `${path}/calendarView`, (call) => reader.view(call));
    offer(`list_${name}_calendarView_delta`, `${path}/calendarView/delta`, (call) => delta.read(call));
    const ofItem = (verb: string, below: string, run: CalendarOperation['run']): void =>
      offer(`${verb}_${events}_By_event_id`, `${path}/events/{event-id}${below}`, run, name === 'me');
    ofItem('get', '', (call) => reader.get(call));
    ofItem('update', '', (call) => writer.patch(call));
    ofItem('delete', '', (call) => writer.delete(call));
    ofItem('listInstances', '/instances', (call) => reader.instances(call));
    ofItem('accept', '/accept', (call) => writer.respond(call, 'accepted'));
    ofItem('tentativelyAccept', '/tentativelyAccept', (call) => writer.respond(call, 'tentativelyAccepted'));
    ofItem('decline', '/decline', (call) => writer.respond(call, 'declined'));
    ofItem('cancel', '/cancel', (call) => writer.cancel(call));
  }
  for (const { name, path } of ROOTS.slice(1)) {
    offer(`get_${name}`, path, (call) => calendars.get(call));
    offer(`update_${name}`, path, (call) => calendars.update(call));
    offer(`getSchedule_${name}`, `${path}/getSchedule`, (call) => schedules.read(call));
  }
  const calendar = 'me_calendars_By_calendar_id';
  offer(`delete_${calendar}`, '/me/calendars/{calendar-id}', (call) => calendars.delete(call));
  offer('list_me_calendars', '/me/calendars', (call) => calendars.list(call));
  offer('create_me_calendars', '/me/calendars', (call) => calendars.create(call));
  offer('getMe', '/me', me);
  offer('getMailboxSettings', '/me/mailboxSettings', mailboxSettings);
  offer('listSubscriptions', '/subscriptions', (call) => subscriptions.read(call));
  offer('createSubscription', '/subscriptions', (call) => subscriptions.create(call));
  offer('updateSubscription', '/subscriptions/{subscription-id}', (call) => subscriptions.renew(call));
  offer('deleteSubscription', '/subscriptions/{subscription-id}', (call) => subscriptions.delete(call));
  return operations;
}
