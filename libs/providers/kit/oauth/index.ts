export { Discovery, type DiscoveredEndpoints } from './discovery.js';
export { IdTokenRejected, isAddress, verifiedClaims, SigningKeys } from './id-token.js';
export {
  OpenIdAuthorizationServer,
  type CodeExchange,
  type OpenIdSignInRequest,
  type UnverifiedIdToken,
  TokenExchange,
  type JsonResponse,
  type TokenEndpointDeps,
  grantedTokens,
  errorDetails,
  type TokenResponse,
} from './openid-authorization-server.js';
