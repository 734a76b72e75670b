import { noSuchApplication, type Application, type ApplicationRepository, type Environment } from '#domain';

/** Knows one application. */
export function knownApplications(known: string, environment: Environment = 'development'): ApplicationRepository {
  return {
    get: async (id: string) => (id === known ? ({ id } as Application) : Promise.reject(noSuchApplication())),
    lockEnvironment: async () => environment,
  } as unknown as ApplicationRepository;
}
