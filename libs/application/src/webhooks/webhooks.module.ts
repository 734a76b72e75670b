import { Module, type DynamicModule } from '@nestjs/common';
import { ChangeHints } from './change-hints.js';

const services = [ChangeHints];

/** How changes reach applications. Global: import it once, in the root module. The ports are global, too. */
@Module({})
export class WebhooksModule {
  /** @param accounts `AccountsModule`, the very one that the process has */
  static forRoot(accounts: DynamicModule): DynamicModule {
    return { module: WebhooksModule, global: true, imports: [accounts], providers: services, exports: services };
  }
}
