export { Discovery, type DiscoveredEndpoints } from './discovery.js';
export { IdTokenRefused, isAddress, verifiedClaims, SigningKeys } from './id-token.js';
export { OpenIdAuthorizationServer, type CodeExchange, type UnverifiedIdToken } from './openid-authorization-server.js';
export {
  TokenExchange,
  type JsonAnswer,
  type TokenEndpointDeps,
  grantedTokens,
  refusal,
  type TokenAnswer,
} from './token-exchange.js';
