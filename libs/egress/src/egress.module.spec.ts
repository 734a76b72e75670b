import { Test } from '@nestjs/testing';
import { Egress } from './contract.js';
import { EgressModule } from './egress.module.js';

const ORIGIN = 'http://127.0.0.1:9';

describe('EgressModule', () => {
  it('trusts what the process configures, until the process ends', async () => {
    const module = await Test.createTestingModule({
      imports: [EgressModule.forRoot('', [undefined, ORIGIN])],
    }).compile();
    const egress = module.get(Egress);
    await expect(egress.check(`${ORIGIN}/token`, 'configured')).resolves.toBeUndefined();
    await expect(egress.check('http://127.0.0.1:10/token', 'configured')).rejects.toMatchObject({ failure: 'bad-url' });
    await module.close();
    const request = { method: 'GET', url: ORIGIN, trust: 'configured', timeoutMs: 1_000, maxBytes: 1 } as const;
    await expect(egress.request(request)).rejects.toMatchObject({ failure: 'aborted', rule: 'closed' });
  });
});
