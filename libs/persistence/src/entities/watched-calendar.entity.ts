import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationEntity } from './application.entity.js';
import { EndUserAccountEntity } from './end-user-account.entity.js';
import { ownedByApplication } from './tenancy.js';

/** A calendar that somebody subscribed to: what is known of it, when to look next, when to see after its channels. */
export const WatchedCalendarEntity = defineEntity({
  name: 'WatchedCalendar',
  tableName: 'watched_calendar',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    endUserAccount: () => p.manyToOne(EndUserAccountEntity).deleteRule('cascade'),
    calendarId: p.text(),
    /** SHA-256 of the id, which may be longer than an index takes. */
    calendarHash: p.type('bytea').$type<Buffer>(),
    /** Sync token up to which changes were announced; null before the first look. */
    syncToken: p.text().nullable(),
    /** How many hints there were: a look that knows of fewer is not the last one. */
    hints: p.bigint(),
    /** Those that the last look knew of that did not fail. */
    hintsSeen: p.bigint().default(0),
    /** Which of them was a push, the last of all. */
    lastPush: p.bigint().default(0),
    /** Of the next look, and the end of the lease while one is under way. */
    lookAt: p.datetime(3).index(),
    lookLeaseId: p.uuid().nullable(),
    /** Hints before it wait until then; null: there was no look yet. */
    calmAt: p.datetime(3).nullable(),
    /** The first hint that no look has taken up. */
    hintedAt: p.datetime(3).nullable(),
    /** Since when a look has been due that has not succeeded yet: by its hint, or by its time. */
    noticedAt: p.datetime(3).nullable(),
    /** Leases in a row that ended by themselves. */
    lookDeaths: p.integer().default(0),
    failingSince: p.datetime(3).nullable(),
    /** W3C `traceparent` of the last traced hint that no look has taken up. */
    traceParent: p.text().nullable(),
    /** As `hints` and `look…`, for the channels. */
    upkeepAsks: p.bigint(),
    upkeepAt: p.datetime(3).index(),
    upkeepLeaseId: p.uuid().nullable(),
    /** Upkeeps in a row that did not come to what was wanted. */
    upkeepFailures: p.integer().default(0),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'watched_calendar_key', properties: ['endUserAccount', 'calendarHash'] }],
});
