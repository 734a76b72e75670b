export {
  AccountClient,
  type AccountClientDeps,
  Admission,
  connectingSession,
  type AccountLimits,
  CalendarCache,
  serviceRoot,
} from './account-client.js';
export {
  CallPolicy,
  type Try,
  type Call,
  type CallPolicyOptions,
  type ErrorRules,
  type RetrySafety,
} from './call-policy.js';
export { assertReachable, believableEnd, isChannelId, isChannelToken, unreachable } from './channels.js';
export {
  readJsonObject,
  assertEventId,
  calendarNotFound,
  inFittingBatches,
  isResponseTooLarge,
  isSendable,
  malformedResponseError,
  transportFailure,
} from './http.js';
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
  type ErrorMapping,
} from './provider-error.js';
