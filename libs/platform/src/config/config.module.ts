import { Module, type DynamicModule, type ValueProvider } from '@nestjs/common';
import type { Config } from './load-config.js';

export const CONFIG = Symbol('Config');

/** Global: import it once, in the root module. */
@Module({})
export class ConfigModule {
  /** @param parts settings for libs that do not know the whole configuration */
  static forRoot(config: Config, parts: readonly ValueProvider[]): DynamicModule {
    const providers = [{ provide: CONFIG, useValue: config }, ...parts];
    return { module: ConfigModule, global: true, providers, exports: providers };
  }
}
