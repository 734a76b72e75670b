import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ApplicationsModule } from '../applications/applications.module.js';
import { ConnectLinksService } from '../connect-links/connect-links.service.js';
import { CallbackUrls } from './callback-urls.js';
import { AuthorizationRequests } from './authorization-requests.js';
import { SignInGrants } from './sign-in-grants.js';
import { SignInProviders } from './sign-in-providers.js';
import { SignInService } from './sign-in.service.js';
import { SignInTestRunner } from './sign-in-test-runner.js';
import { SignInTests } from './sign-in-tests.js';

const internals = [CallbackUrls, AuthorizationRequests, SignInGrants, SignInTestRunner];

const services = [ConnectLinksService, SignInProviders, SignInService, SignInTests];

@Module({ imports: [AccountsModule, ApplicationsModule], providers: [...internals, ...services], exports: services })
export class OAuthModule {}
