export {
  CallPolicy,
  type Attempt,
  type Call,
  type CallPolicyOptions,
  type RefusalRules,
  type Repeat,
} from './call-policy.js';
export { IdTokenRefused, isAddress, verifiedClaims, type IdTokenCheck } from './id-token.js';
export { OpenIdAuthorizationServer, type CodeExchange, type UnverifiedIdToken } from './openid-authorization-server.js';
export { parsedJson, ProviderRefusal, refusalCode, refusalSentence } from './provider-refusal.js';
export { retryAfterMs } from './retry-after.js';
export { SigningKeys } from './signing-keys.js';
export { TokenExchange, type JsonAnswer, type TokenEndpointDeps } from './token-exchange.js';
export { badAnswer, transportFailure } from './transport-failure.js';
export { grantedTokens, refusal, type CheckedTokens, type TokenAnswer } from './token-answer.js';
