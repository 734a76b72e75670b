import { Module, type ValueProvider } from '@nestjs/common';
import { Clock } from '#domain';
import { Egress } from '#egress';
import { DeliveryService } from './delivery-service.js';
import { deliveryService, type TransportSettings } from './svix-or-builtin.js';

const TRANSPORT_SETTINGS = Symbol('TransportSettings');

/** The settings that this lib injects. */
export function transportSettings(settings: TransportSettings): ValueProvider {
  return { provide: TRANSPORT_SETTINGS, useValue: settings };
}

/** Clock and egress come from global modules. */
@Module({
  providers: [
    {
      provide: DeliveryService,
      inject: [TRANSPORT_SETTINGS, Egress, Clock],
      useFactory: (settings: TransportSettings, egress: Egress, clock: Clock) =>
        deliveryService(settings, { egress, nowMs: () => clock.nowMs() }),
    },
  ],
  exports: [DeliveryService],
})
export class DeliveryServiceModule {}
