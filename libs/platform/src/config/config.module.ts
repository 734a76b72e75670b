import { Module, type DynamicModule, type ValueProvider } from '@nestjs/common';
import type { Config } from './load-config.js';

/** Injects the {@link Config} of the process. */
export const CONFIG = Symbol('Config');

/** The configuration of the process, for all of its modules. Global: import it once, in the root module. */
@Module({})
export class ConfigModule {
  /** @param parts settings as libs inject them that do not know the whole of the configuration */
  static forRoot(config: Config, parts: readonly ValueProvider[]): DynamicModule {
    const providers = [{ provide: CONFIG, useValue: config }, ...parts];
    return { module: ConfigModule, global: true, providers, exports: providers };
  }
}
