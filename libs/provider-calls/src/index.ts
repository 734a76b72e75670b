export { accessTokenOf } from './access-token.js';
export { CalendarCache } from './calendar-cache.js';
export {
  CallPolicy,
  type Attempt,
  type Call,
  type CallPolicyOptions,
  type RefusalRules,
  type Repeat,
} from './call-policy.js';
export { believableEnd } from './channel-end.js';
export { isChannelId, isChannelToken } from './channel-key.js';
export {
  ConnectedProvider,
  type CalendarOperations,
  type EventOperations,
  type Operation,
} from './connected-provider.js';
export { assertReachable, unreachable } from './notification-url.js';
export { type PushOperations } from './connected-push.js';
export { IdTokenRefused, isAddress, verifiedClaims } from './id-token.js';
export { readJsonObject } from './json-object.js';
export { asCall, measuredTry, type ProviderCall } from './measured-try.js';
export { OpenIdAuthorizationServer, type CodeExchange, type UnverifiedIdToken } from './openid-authorization-server.js';
export { parsedJson, ProviderRefusal, refusalCode, refusalSentence } from './provider-refusal.js';
export { rejectedInput, toldRefusal, type Meaning } from './refusal-meaning.js';
export { calendarNotFound, isSendable } from './resource-id.js';
export { retryAfterMs } from './retry-after.js';
export { serviceRoot } from './service-root.js';
export { SigningKeys } from './signing-keys.js';
export { TokenExchange, type JsonAnswer, type TokenEndpointDeps } from './token-exchange.js';
export { badAnswer, transportFailure } from './transport-failure.js';
export { grantedTokens, refusal, type TokenAnswer } from './token-answer.js';
