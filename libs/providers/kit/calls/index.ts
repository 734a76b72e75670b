export {
  AccountConnection,
  type AccountConnectionDeps,
  Admission,
  connectingSession,
  type AccountLimits,
  CalendarCache,
} from './account-connection.js';
export {
  CallPolicy,
  type Attempt,
  type Call,
  type CallPolicyOptions,
  type RefusalRules,
  type Repeat,
} from './call-policy.js';
export { assertReachable, believableEnd, isChannelId, isChannelToken, unreachable } from './channels.js';
export { readJsonObject } from './json-object.js';
export { asCall, measuredTry } from './measured-try.js';
export {
  orNull,
  parsedJson,
  ProviderRefusal,
  refusalCode,
  refusalSentence,
  rejectedInput,
  restMeanings,
  retryAfterMs,
  toldRefusal,
  type Meaning,
} from './provider-refusal.js';
export { assertEventId, calendarNotFound, isSendable } from './resource-id.js';
export { serviceRoot } from './service-root.js';
export { badAnswer, transportFailure } from './transport-failure.js';
