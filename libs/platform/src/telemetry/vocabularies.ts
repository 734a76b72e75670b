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
  'free_busy.query',
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
  'rate_limited',
  'unauthorized',
  'client_error',
  'server_error',
  'timeout',
  'unreachable',
  'malformed_response',
  'aborted',
] as const;

export const ATTEMPT_OUTCOMES = [
  'delivered',
  'client_error',
  'server_error',
  'redirected',
  'timeout',
  'unreachable',
  'blocked',
  'gone',
  'interrupted',
  'internal',
] as const;

export const QUEUES = [
  'webhook_deliveries',
  'webhook_redeliveries',
  'calendar_syncs',
  'token_revocation',
  'account_events',
  'reconcile',
  'reading_plans',
  'housekeeping',
] as const;

export const TASKS = [
  'deliver',
  'retry',
  'look',
  'delete_expired',
  'enqueue_deliveries',
  'sync_due',
  'reconcile_channels',
  'relay_outbox',
  'check_credentials',
  'reconcile',
  'plan_reads',
  'revoke_grants',
  'delete_applications',
] as const;

export type ProviderOperation = (typeof OPERATIONS)[number];
export type CallOutcome = (typeof CALL_OUTCOMES)[number];
export type AttemptOutcomeLabel = (typeof ATTEMPT_OUTCOMES)[number];
export type Task = (typeof TASKS)[number];
