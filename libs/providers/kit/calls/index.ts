export {
  AccountClient,
  type AccountClientDeps,
  Admission,
  connectingSession,
  type AccountLimits,
  CalendarCache,
} from './account-client.js';
export {
  CallPolicy,
  type Attempt,
  type Call,
  type CallPolicyOptions,
  type ErrorRules,
  type Repeat,
} from './call-policy.js';
export { assertReachable, believableEnd, isChannelId, isChannelToken, unreachable } from './channels.js';
export { readJsonObject } from './json-object.js';
export { withCallSpan, instrumentTry } from './measured-try.js';
export {
  orNull,
  parsedJson,
  ProviderResponseError,
  providerErrorCode,
  providerErrorText,
  rejectedInput,
  restErrorMappings,
  retryAfterMs,
  mapToDomainError,
  type Meaning,
} from './provider-error.js';
export { assertEventId, calendarNotFound, isSendable } from './resource-id.js';
export { serviceRoot } from './service-root.js';
export { badAnswer, transportFailure } from './transport-failure.js';
