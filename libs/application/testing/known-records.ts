import type { Application, ApplicationRepository, Environment } from '#domain/applications';
import type { Operator } from '#domain/operator';
import { noSuchApplication } from '#domain/system';

/** An admin with a password, who has not signed in yet. */
export const ADA: Operator = {
  id: '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5',
  email: 'ada@example.com',
  name: 'Ada',
  role: 'admin',
  hasPassword: true,
  createdAt: new Date(0),
  lastSignInAt: null,
};

/** Knows one application. */
export function knownApplications(known: string, environment: Environment = 'development'): ApplicationRepository {
  return {
    get: async (id: string) => (id === known ? ({ id } as Application) : Promise.reject(noSuchApplication())),
    lockEnvironment: async () => environment,
  } as unknown as ApplicationRepository;
}
