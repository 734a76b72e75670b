import { Module, type ValueProvider } from '@nestjs/common';
import { Clock } from '#domain';
import { Egress } from '#egress';
import { DeliveryService } from './delivery-service.js';
import { deliveryService, type TransportSettings } from './svix-or-builtin.js';

const TRANSPORT_SETTINGS = Symbol('TransportSettings');

export function transportSettings(settings: TransportSettings): ValueProvider {
  return { provide: TRANSPORT_SETTINGS, useValue: settings };
}

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
