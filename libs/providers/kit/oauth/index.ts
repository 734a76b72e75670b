export { Discovery, type DiscoveredEndpoints } from './discovery.js';
export { IdTokenRefused, isAddress, verifiedClaims, SigningKeys } from './id-token.js';
export {
  OpenIdAuthorizationServer,
  type CodeExchange,
  type SignInRequest,
  type UnverifiedIdToken,
  TokenExchange,
  type JsonAnswer,
  type TokenEndpointDeps,
  grantedTokens,
  refusal,
  type TokenAnswer,
} from './openid-authorization-server.js';
