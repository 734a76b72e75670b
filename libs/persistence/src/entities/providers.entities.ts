import { defineEntity, p } from '@mikro-orm/core';
import type { ProviderType } from '#domain/accounts';
import type { RequestCause } from '#domain/providers';
import { ApplicationEntity } from './applications.entities.js';
import { ownedByApplication, systemOnly } from './tenancy.js';

/** Its id is the public `providerId` of accounts: opaque and stable. */
export const ProviderConfigurationEntity = defineEntity({
  name: 'ProviderConfiguration',
  tableName: 'provider_configuration',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    providerType: p.text(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'provider_configuration_key', properties: ['application', 'providerType'] }],
});

/** Rate limit of an account: one row per account with recent requests to its provider. */
export const ProviderRateEntity = defineEntity({
  name: 'ProviderRateLimiter',
  tableName: 'provider_rate',
  ...ownedByApplication(),
  properties: {
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').primary(),
    /** Text without a foreign key: connecting sends requests before the account exists. */
    accountId: p.text().primary(),
    /** Theoretical arrival time of the next request (GCRA), in epoch milliseconds of the database clock. */
    arrivalMs: p.double(),
    /** Place of the last refused operation, which later refusals are told to come after. Same clock. */
    refusedMs: p.double().nullable(),
  },
  indexes: [{ name: 'provider_rate_arrival', properties: ['arrivalMs'] }],
});

/** Concurrency limit of an account: one row per recently used permit. */
export const ProviderPermitEntity = defineEntity({
  name: 'ProviderPermit',
  tableName: 'provider_permit',
  ...ownedByApplication(),
  properties: {
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').primary(),
    /** As in {@link ProviderRateEntity}. */
    accountId: p.text().primary(),
    slot: p.integer().primary(),
    /** Of the last lease: a late statement of an earlier one changes nothing. */
    leaseId: p.uuid(),
    leasedUntil: p.datetime(3),
    takenAt: p.datetime(3),
    wantedBy: p.uuid().nullable(),
    wantedUntil: p.datetime(3).nullable(),
  },
});

/** Requests that were sent to providers in one hour. */
export const RequestCountEntity = defineEntity({
  name: 'RequestCount',
  tableName: 'provider_request_count',
  ...ownedByApplication(),
  properties: {
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').primary(),
    /** Beginning of the hour. */
    hour: p.datetime(3).primary().index(),
    providerType: p.text().$type<ProviderType>().primary(),
    /** Project whose quota is used; empty without OAuth. */
    project: p.text().primary(),
    cause: p.text().$type<RequestCause>().primary(),
    requests: p.bigint(),
  },
});

/** How often unchanged calendars are read: one row per project or server whose requests are limited. */
export const ReadingPlanEntity = defineEntity({
  name: 'ReadingPlan',
  tableName: 'reading_plan',
  ...systemOnly(),
  properties: {
    providerType: p.text().$type<ProviderType>().primary(),
    /** Project, or origin of a server. */
    quotaOwner: p.text().primary(),
    plannedAt: p.datetime(3),
    /** null without a daily limit. */
    requestsPerDay: p.bigint().nullable(),
    /** Requests of the last 24 hours. */
    requestsUsed: p.bigint(),
    calendars: p.integer(),
    near: p.integer(),
    /** The last near calendar; null when all or none are near. */
    nearPriority: p.integer().nullable(),
    nearChangedAt: p.datetime(3).nullable(),
    /** Interval of the calendars that are not near. */
    minIntervalMs: p.integer(),
    maxIntervalMs: p.integer(),
    /** Interval of the calendars without a live channel; null for the usual one. */
    minPolledMs: p.integer().nullable(),
    maxPolledMs: p.integer().nullable(),
    /** The server gets half of its requests until then. */
    strainedUntil: p.datetime(3).nullable(),
    /** When all calendars were last read because notifications were missing. */
    hurriedAt: p.datetime(3).nullable(),
  },
});
