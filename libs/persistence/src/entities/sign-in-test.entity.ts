import { defineEntity, p } from '@mikro-orm/core';
import type { ProviderType } from '#domain';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';

/** An operator's walk through the sign-in of an application, and how it ended. */
export const SignInTestEntity = defineEntity({
  name: 'SignInTest',
  tableName: 'sign_in_test',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    providerType: p.text().$type<ProviderType>(),
    /** `running`, `passed`, `failed`. */
    state: p.text().$type<'running' | 'passed' | 'failed'>(),
    email: p.text().nullable(),
    grantedScopes: p.array(),
    missingScopes: p.array(),
    hasRefreshToken: p.boolean().nullable(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    createdAt: p.datetime(3).index(),
  },
});
