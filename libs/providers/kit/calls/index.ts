export { accessTokenOf } from './access-token.js';
export { Admission, type AccountLimits } from './admission.js';
export { CalendarCache } from './calendar-cache.js';
export {
  CallPolicy,
  verdictOn,
  type Attempt,
  type Call,
  type CallPolicyOptions,
  type RefusalRules,
  type Repeat,
} from './call-policy.js';
export { believableEnd } from './channel-end.js';
export { isChannelId, isChannelToken } from './channel-key.js';
export { assertReachable, unreachable } from './notification-url.js';
export { CircuitBreaker, type Verdict } from './circuit-breaker.js';
export { readJsonObject } from './json-object.js';
export { asCall, measuredTry, type ProviderCall } from './measured-try.js';
export { parsedJson, ProviderRefusal, refusalCode, refusalSentence } from './provider-refusal.js';
export { rejectedInput, toldRefusal, type Meaning } from './refusal-meaning.js';
export { calendarNotFound, assertEventId, isSendable } from './resource-id.js';
export { retryAfterMs } from './retry-after.js';
export { RetryBudget } from './retry-budget.js';
export { serviceRoot } from './service-root.js';
export { badAnswer, transportFailure } from './transport-failure.js';
