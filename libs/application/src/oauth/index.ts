export { CallbackUrls } from './callback-urls.js';
export { OAuthModule } from './oauth.module.js';
export { OAuthClientsModule } from './oauth-clients.module.js';
export { OAuthClientsService, type SetOAuthClient } from './oauth-clients.service.js';
export { RedirectUrlsService } from './redirect-urls.service.js';
export { ConfiguredOAuthClients } from './shared-oauth-clients.js';
export {
  AuthorizationRequests,
  isSecret,
  isTestState,
  newSecret,
  SIGN_IN_LIFETIME_MS,
} from './authorization-requests.js';
export { SignInGrants } from './sign-in-grants.js';
export { SignInProviders, type SignInProviderView } from './sign-in-providers.js';
export { SignInService, type BeginSignIn, type SignInRequest, type SignInResponse } from './sign-in.service.js';
export { SignInTestRunner } from './sign-in-test-runner.js';
export { SignInTests, type SignInTestView } from './sign-in-tests.js';
