import type { Application, ApplicationRepository, Environment } from '#domain/applications';
import { noSuchApplication } from '#domain/system';

/** Knows one application. */
export function knownApplications(known: string, environment: Environment = 'development'): ApplicationRepository {
  return {
    get: async (id: string) => (id === known ? ({ id } as Application) : Promise.reject(noSuchApplication())),
    lockEnvironment: async () => environment,
  } as unknown as ApplicationRepository;
}
