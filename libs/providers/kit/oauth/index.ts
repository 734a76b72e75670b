export { Discovery, type DiscoveredEndpoints } from './discovery.js';
export { IdTokenRefused, isAddress, verifiedClaims } from './id-token.js';
export { OpenIdAuthorizationServer, type CodeExchange, type UnverifiedIdToken } from './openid-authorization-server.js';
export { SigningKeys } from './signing-keys.js';
export { TokenExchange, type JsonAnswer, type TokenEndpointDeps } from './token-exchange.js';
export { grantedTokens, refusal, type TokenAnswer } from './token-answer.js';
