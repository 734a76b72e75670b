import type { ValueProvider } from '@nestjs/common';
import { OperatorSettings } from '#application';
import type { Config } from '#platform';

const MINUTE_MS = 60_000;

/** What the use cases of operators inject of the configuration. */
export function operatorSettings(config: Config): ValueProvider<OperatorSettings> {
  return {
    provide: OperatorSettings,
    useValue: {
      publicUrl: config.publicUrl,
      sessionIdleMs: config.operatorSessionIdleMinutes * MINUTE_MS,
      sessionMs: config.operatorSessionHours * 60 * MINUTE_MS,
      hasPasswords: config.operatorPasswords === 'on',
    },
  };
}
