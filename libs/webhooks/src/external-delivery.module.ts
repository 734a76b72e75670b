import { Module, type ValueProvider } from '@nestjs/common';
import { Clock } from '#domain/system';
import { Egress } from '#egress';
import { ExternalDelivery } from './external-delivery.js';
import { deliveryService, type TransportSettings } from './choose-transport.js';

const TRANSPORT_SETTINGS = Symbol('TransportSettings');

export function transportSettings(settings: TransportSettings): ValueProvider {
  return { provide: TRANSPORT_SETTINGS, useValue: settings };
}

@Module({
  providers: [
    {
      provide: ExternalDelivery,
      inject: [TRANSPORT_SETTINGS, Egress, Clock],
      useFactory: (settings: TransportSettings, egress: Egress, clock: Clock) =>
        deliveryService(settings, { egress, nowMs: () => clock.nowMs() }),
    },
  ],
  exports: [ExternalDelivery],
})
export class ExternalDeliveryModule {}
