import { TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import { HealthController, DegradedError, ReadinessChecks, type ReadinessCheck } from './health.controller.js';
import { ServiceState } from './service-state.js';

async function readiness(...checks: ReadinessCheck[]) {
  const module = await Test.createTestingModule({
    imports: [TerminusModule.forRoot({ logger: false })],
    controllers: [HealthController],
    providers: [ServiceState, { provide: ReadinessChecks, useValue: { all: checks } }],
  }).compile();
  module.get(ServiceState).started();
  return module.get(HealthController).checkReadiness();
}

const fails = () => Promise.reject(new Error('connect 10.0.0.7:6379'));

describe('readiness', () => {
  it('is refused when something is away that the work needs', async () => {
    await expect(readiness({ name: 'queue', ping: fails })).rejects.toMatchObject({
      status: 503,
      response: { details: { queue: { status: 'down', message: 'does not answer' } } },
    });
  });

  it('tells what is away although the work goes on, and names nothing', async () => {
    expect(await readiness({ name: 'redis', isOptional: true, ping: fails })).toMatchObject({
      status: 'degraded',
      details: { redis: { status: 'degraded', message: 'does not answer' } },
    });
  });

  it('F12 tells what answers, but not as it has to', async () => {
    const ping = () => Promise.reject(new DegradedError('it evicts'));
    expect(await readiness({ name: 'redis', ping })).toMatchObject({
      status: 'degraded',
      details: { redis: { status: 'degraded', message: 'it evicts' }, service: { status: 'up' } },
    });
  });
});
