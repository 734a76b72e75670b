import { createHmac, randomUUIDv7 } from 'node:crypto';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { Webhook as Svix1 } from 'svix-1';
import { rotated, secretsInForce, SigningSecret } from './endpoint-secrets.js';
import { messageIdOf } from './message.js';
import { signatureHeaders, type SignatureHeaders } from './sender.js';

const newId = () => messageIdOf(randomUUIDv7());

/** Receivers that throw when they do not accept; each reads the raw text of the body, as their documentation says. */
function receivers(secret: string): Record<string, (body: string, headers: Record<string, string>) => unknown> {
  const svix = new Svix(secret);
  const svix1 = new Svix1(secret);
  const standard = new StandardWebhook(secret);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return {
    'svix 2': (body, headers) => svix.verify(body, headers),
    'svix 1': (body, headers) => svix1.verify(body, headers),
    standardwebhooks: (body, headers) => standard.verify(body, headers),
    'an independent HMAC': (body, headers) => {
      const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      const expected = `v1,${createHmac('sha256', key).update(content, 'utf8').digest('base64')}`;
      if (!headers['webhook-signature']?.split(' ').includes(expected)) throw new Error('No matching signature found');
    },
  };
}

/** What has been mangled on the way to a receiver before: separators, marks, pairs, what JSON and HTTP escape. */
const PIECES = [
  '\u2028',
  '\u2029',
  '\ufeff',
  '\0',
  '\ud800',
  '📅',
  '👩‍👩‍👧',
  'é',
  'e\u0301',
  '.',
  '"',
  '\\',
  '\r\n',
  ' ',
  '%',
  '+',
];

/** JSON objects, the empty one among them; each five hundredth of 20 KB. */
function bodies(count: number): string[] {
  const payload = fc.oneof(
    fc.constant({}),
    fc.record({
      text: fc.string({ unit: 'binary' }),
      pieces: fc.array(fc.constantFrom(...PIECES)).map((some) => some.join('')),
    }),
  );
  return fc
    .sample(payload, { numRuns: count, seed: 1 })
    .map((value, index) => JSON.stringify(index % 500 === 0 ? { ...value, padding: '📅ü'.repeat(3_400) } : value));
}

describe('signatures', () => {
  it('W1 10,000 generated bodies verify in every library, and in none once a byte is another', () => {
    const secret = SigningSecret.generate();
    const verifiers = Object.entries(receivers(secret.reveal()));
    const failures: string[] = [];
    for (const [index, text] of bodies(10_000).entries()) {
      const body = Buffer.from(text);
      const headers = { ...signatureHeaders({ id: newId(), body }, [secret], Date.now()) };
      for (const [name, verify] of verifiers) {
        try {
          verify(body.toString(), headers);
        } catch (error) {
          failures.push(`${name} ${index}: ${String(error)}`);
        }
      }
      if (index % 500 === 0) {
        for (const [, verify] of verifiers) expect(() => verify(`${text} `, headers)).toThrow('No matching signature');
      }
    }
    expect(failures).toEqual([]);
  });

  it('W4 1,000 deliveries across a rotation verify with the old and the new secret as long as both are in force', () => {
    const before = { active: SigningSecret.generate(), retiring: [] };
    const next = SigningSecret.generate();
    const startMs = Date.now() - 120_000; // receivers tolerate five minutes, whatever the machine takes for this
    const [rotatedAtMs, overlapMs] = [startMs + 30_000, 60_000];
    const after = rotated(before, next, { nowMs: rotatedAtMs, overlapMs });
    const verifiers = [before.active, next].map((secret) => Object.values(receivers(secret.reveal())));
    const accepted = (headers: SignatureHeaders) =>
      verifiers.map((each) => each.filter((verify) => isAccepted(() => verify('{}', { ...headers }))).length);
    for (let index = 0; index < 1_000; index += 1) {
      const atMs = startMs + index * 120;
      const secrets = secretsInForce(atMs < rotatedAtMs ? before : after, atMs);
      const headers = signatureHeaders({ id: newId(), body: Buffer.from('{}') }, secrets, atMs);
      const isOver = atMs >= rotatedAtMs + overlapMs;
      expect(accepted(headers)).toEqual([isOver ? 0 : 4, atMs < rotatedAtMs ? 0 : 4]);
      expect(headers['webhook-signature'].split(' ')).toHaveLength(atMs < rotatedAtMs || isOver ? 1 : 2);
    }
  });

  it('W2 keep the id over all attempts and take the time of each', () => {
    const message = { id: newId(), body: Buffer.from('{"a":1}') };
    const secret = SigningSecret.generate();
    const first = signatureHeaders(message, [secret], 1_795_262_400_999);
    const last = signatureHeaders(message, [secret], 1_795_532_400_000);
    expect([first['webhook-id'], last['webhook-id']]).toEqual([message.id, message.id]);
    expect([first['webhook-timestamp'], last['webhook-timestamp']]).toEqual(['1795262400', '1795532400']);
    expect(first['webhook-signature']).not.toBe(last['webhook-signature']);
  });

  it('W1 sign the bytes, not the text that they may be', () => {
    const secret = SigningSecret.generate();
    const body = Buffer.from([0xff, 0x00, 0xfe]);
    const id = newId();
    const expected = createHmac('sha256', Buffer.from(secret.reveal().slice(6), 'base64'))
      .update(Buffer.concat([Buffer.from(`${id}.1.`), body]))
      .digest('base64');
    expect(signatureHeaders({ id, body }, [secret], 1_000)['webhook-signature']).toBe(`v1,${expected}`);
  });

  it('are never left out, and never made for an id that reads as something else', () => {
    const body = Buffer.from('{}');
    expect(() => signatureHeaders({ id: newId(), body }, [], 0)).toThrow('never sent unsigned');
    for (const id of ['', 'msg_a.1795262400', 'msg_a\r\nx: y']) {
      expect(() => signatureHeaders({ id, body }, [SigningSecret.generate()], 0)).toThrow('Not a message id');
    }
  });
});

function isAccepted(verify: () => unknown): boolean {
  try {
    verify();
    return true;
  } catch {
    return false;
  }
}
