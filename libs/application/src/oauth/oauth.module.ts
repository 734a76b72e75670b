import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ApplicationsModule } from '../keys/applications.module.js';
import { CallbackAddress } from './callback-address.js';
import { SignInAttempts } from './sign-in-attempts.js';
import { SignInGrants } from './sign-in-grants.js';
import { SignInProviders } from './sign-in-providers.js';
import { SignInService } from './sign-in.service.js';
import { SignInTestTrial } from './sign-in-test-trial.js';
import { SignInTests } from './sign-in-tests.js';

const internals = [CallbackAddress, SignInAttempts, SignInGrants, SignInTestTrial];

const services = [SignInProviders, SignInService, SignInTests];

@Module({ imports: [AccountsModule, ApplicationsModule], providers: [...internals, ...services], exports: services })
export class OAuthModule {}
