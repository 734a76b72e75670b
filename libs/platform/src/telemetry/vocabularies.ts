export const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export const SCHEMES = ['http', 'https'] as const;

export const STATUSES: readonly string[] = Array.from({ length: 500 }, (_, index) => String(100 + index));

export const OPERATIONS = [
  'account.connect',
  'account.verify',
  'calendars.list',
  'calendars.get',
  'calendars.create',
  'calendars.update',
  'calendars.delete',
  'events.list',
  'events.occurrences',
  'events.get',
  'events.create',
  'events.update',
  'events.delete',
  'events.respond',
  'freeBusy.query',
  'channel.open',
  'channel.renew',
  'channel.stop',
  'token.exchange',
  'token.refresh',
  'token.identify',
  'token.revoke',
] as const;

export const CALL_OUTCOMES = [
  'ok',
  'rateLimited',
  'unauthorized',
  'refused',
  'failed',
  'timeout',
  'unreachable',
  'malformedResponse',
  'aborted',
] as const;

export const ATTEMPT_OUTCOMES = [
  'delivered',
  'refused',
  'failed',
  'redirected',
  'timeout',
  'unreachable',
  'blocked',
  'gone',
  'interrupted',
  'internal',
] as const;

export const QUEUES = [
  'webhook-deliveries',
  'webhook-redeliveries',
  'calendar-syncs',
  'token-revocation',
  'account-events',
  'reconcile',
  'reading-plans',
  'housekeeping',
] as const;

export const TASKS = [
  'deliver',
  'retry',
  'look',
  'delete-expired',
  'enqueue-deliveries',
  'sync-due',
  'reconcile-channels',
  'relay-outbox',
  'check-credentials',
  'reconcile',
  'plan-reads',
  'revoke-grants',
  'delete-applications',
] as const;

export type ProviderOperation = (typeof OPERATIONS)[number];
export type CallOutcome = (typeof CALL_OUTCOMES)[number];
export type AttemptOutcomeLabel = (typeof ATTEMPT_OUTCOMES)[number];
export type Task = (typeof TASKS)[number];
