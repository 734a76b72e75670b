import { Module } from '@nestjs/common';
import { QueueDrain } from '../queue-drain.js';
import { ChannelSweep } from './channel-sweep.js';

/** Push channels at the providers, kept by comparing what is wanted with what there is. */
@Module({ providers: [ChannelSweep] })
export class ChannelsModule {
  constructor(drain: QueueDrain, sweep: ChannelSweep) {
    drain.add(sweep);
  }
}
